const LINE_END = /\r\n|\r/g

/** A value as a field shows it: browsers turn each line end into a line feed. */
export const asShown = (value: string): string => value.replace(LINE_END, '\n')

/** A value after an edit in a field. Line ends outside of the edit stay as they were; new ones are like the value's
 * first.
 * @param typed the text of the field after the edit */
export function withLineEnds(value: string, typed: string): string {
  const shown = asShown(value)
  if (shown === value) return typed
  const before = sharedStart(shown, typed)
  const after = sharedEnd(shown.slice(before), typed.slice(before))
  // One entry for each character of the field.
  const units = value.match(/\r\n|[\s\S]/g) ?? []
  const lineEnd = /\r\n|[\r\n]/.exec(value)?.[0] ?? '\n'
  const added = typed.slice(before, typed.length - after).replaceAll('\n', lineEnd)
  const edited = units.slice(0, before).join('') + added + units.slice(units.length - after).join('')
  // Where line ends are mixed, a lone CR can meet an LF and become one line end with it.
  return asShown(edited) === typed ? edited : typed
}

function sharedStart(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return length
}

function sharedEnd(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length += 1
  return length
}
