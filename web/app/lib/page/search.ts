/** How well a name answers a query, lower is better: the name itself, its beginning, the beginning of one of its parts
 * (behind `/`, `_` or `-`), anything else. */
export function rank(name: string, query: string): 0 | 1 | 2 | 3 {
  const [lower, wanted] = [name.toLowerCase(), query.trim().toLowerCase()]
  if (lower === wanted) return 0
  if (lower.startsWith(wanted)) return 1
  return lower.split(/[/_-]/).some((part) => part.startsWith(wanted)) ? 2 : 3
}

/** Whether a text contains every blank-separated term of the query, in any case. */
export function matches(text: string, query: string): boolean {
  const lower = text.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((term) => lower.includes(term))
}
