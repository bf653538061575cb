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
