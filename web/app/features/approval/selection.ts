import type { RequestBundleItem } from '../../lib/answers.ts'

/** The keys to select first: those asked for that the bundle has, or all of them; and those asked for in vain. */
export function firstKeys(items: readonly RequestBundleItem[], templateKeys: readonly string[]) {
  const names = items.map(({ key }) => key)
  if (templateKeys.length === 0) return { selected: new Set(names), missing: [] }
  const present = new Set(names)
  return {
    selected: new Set(templateKeys.filter((name) => present.has(name))),
    missing: [...new Set(templateKeys)].filter((name) => !present.has(name)),
  }
}

/** The entries that were asked for, and the others. Who names no keys asks for whatever is chosen. */
export function splitByAsking(
  items: readonly RequestBundleItem[],
  templateKeys: readonly string[],
): { asked: readonly RequestBundleItem[]; others: readonly RequestBundleItem[] } {
  if (templateKeys.length === 0) return { asked: items, others: [] }
  const wanted = new Set(templateKeys)
  return {
    asked: items.filter(({ key }) => wanted.has(key)),
    others: items.filter(({ key }) => !wanted.has(key)),
  }
}
