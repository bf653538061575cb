// Control, format (bidirectional ones among them), line- and paragraph-separator characters, fillers and the blank
// Braille cell: invisible, or able to make a line read differently from what it says.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

// No script needs more on one letter; a pile of them covers the lines around it, and no line can break within.
const PILED_MARKS = /(\p{M}{4})(\p{M}+)/gu

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text with the escape of each character that would hide, cover or reorder what is said, and of each blank but a
 * space. */
export function escapedText(text: string): string {
  return text
    .replace(UNSEEN, escapeOf)
    .replace(/[^\S ]/g, escapeOf)
    .replace(PILED_MARKS, (_, kept: string, others: string) => kept + escapesOf(others))
}

/** The full text of unknown origin, for a decision: texts that differ look different, also if only a space at an end
 * differs. */
export function exactText(text: string): string {
  return escapedText(text).replace(/^ +| +$/g, escapesOf)
}

function escapesOf(text: string): string {
  return text.replace(/./gsu, escapeOf)
}

function escapeOf(character: string): string {
  return SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

/** Text of unknown origin, without characters that hide, cover or reorder what is said; at most `maxLength`
 * characters. */
export function visibleText(text: string, maxLength = 200): string {
  const clean = text.replace(UNSEEN, '').replace(PILED_MARKS, '$1').trim()
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean
}
