/** The value of a field in a sentence. */
export function plainText(value: unknown): string {
  if (value === null || value === '') return 'empty'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : value.join(', ')
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
}
