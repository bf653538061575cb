/** Whether a version is newer than another. What follows a hyphen does not count. */
export function isNewer(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => (text.split('-')[0] ?? '').split('.').map(Number))
  const index = (left ?? []).findIndex((part, place) => part !== right?.[place])
  return index >= 0 && (left?.[index] ?? 0) > (right?.[index] ?? 0)
}
