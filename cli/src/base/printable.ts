/** Make text from outside safe to print on one line of a terminal: characters that could move the cursor, hide,
 * reorder or break a line become `�`, and text longer than `maxLength` characters is cut. */
export function printable(text: string, maxLength = 300): string {
  if (text.length <= maxLength && isPlain(text)) return text
  // Cc: control characters, escape included. Cf: bidirectional overrides, zero-width and other invisible characters.
  // Zl, Zp: separators that some terminals break lines at. Cs, Co, Cn: characters without a defined appearance.
  const characters = Array.from(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu, '\u{fffd}'))
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Whether a text has printable ASCII only. Expressions over Unicode classes take long to prepare, and few texts need
 * them. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text)
}

/** Replace our punctuation by ASCII. */
export function plainPunctuation(text: string): string {
  return text.replaceAll('…', '...').replaceAll('·', '-').replaceAll('→', '->')
}

/** Lines of about `columns` characters, broken at blanks; a long word is not cut. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.min(Math.max(columns, 20), 100)
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** Lines of about `columns` characters; a long word is not cut. The first one begins with `start`, and the others are
 * indented as far. */
export function hanging(start: string, text: string, columns: number): string[] {
  const indent = ' '.repeat(start.length)
  return wrap(text, columns - start.length).map((line, index) => (index === 0 ? start : indent) + line)
}

/** An argument as you would type it in a shell. */
export function shownArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
