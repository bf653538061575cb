// Control, format (bidirectional ones among them), line- and paragraph-separator characters: invisible, or able to make a
// line read differently from what it says.
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Text of unknown origin, without characters that hide or reorder what it says; at most `maxLength` characters. */
export function visibleText(text: string, maxLength = 200): string {
  const clean = text.replace(UNSEEN, '').trim()
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean
}
