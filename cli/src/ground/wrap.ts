/** Lines of at most `columns` characters, broken at blanks. */
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
