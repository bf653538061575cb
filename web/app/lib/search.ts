/** Whether a text holds every blank-separated term of the query, in any case. */
export function matches(text: string, query: string): boolean {
  const lower = text.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((term) => lower.includes(term))
}
