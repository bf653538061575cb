export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** For example `1 key` and `3 keys`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** The first of some names, and how many more there are: `dev/app, dev/web and 2 more`. */
export function listed(names: readonly string[], most: number, total = names.length): string {
  const shown = names.slice(0, most)
  const more = total - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** `kim`, `kim and lee`, `kim, lee, and max`. An `Intl.ListFormat` loads its words first, which takes 20 ms. */
export function joined(names: readonly string[], word: 'and' | 'or'): string {
  if (names.length < 3) return names.join(` ${word} `)
  return `${names.slice(0, -1).join(', ')}, ${word} ${names.at(-1)}`
}
