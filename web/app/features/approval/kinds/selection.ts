import type { RequestBundleItem } from '../../../lib/calls/answers.ts'

/** The entries of a bundle, the names that the terminal asked for, and those that are selected. A request without names
 * asks for what the approver selects. */
export type KeySelection = {
  items: readonly RequestBundleItem[]
  templateKeys: readonly string[]
  selected: ReadonlySet<string>
}

/** Whether the bundle can deliver an entry: a composed value needs all its parts. */
export function isWhole({ missing_parts = [] }: RequestBundleItem): boolean {
  return missing_parts.length === 0
}

/** The names of the entries that the bundle can deliver. */
export const deliverable = (items: readonly RequestBundleItem[]): ReadonlySet<string> =>
  new Set(items.filter(isWhole).map(({ key }) => key))

/** The entries whose values changed since the person's last approval come before the others. */
export function changedFirst(items: readonly RequestBundleItem[]): readonly RequestBundleItem[] {
  return items.toSorted((a, b) => Number(b.changed === true) - Number(a.changed === true))
}

/** The keys to select first: those asked for that the bundle can deliver, or all of them; and those that it does not
 * have. */
export function firstKeys({ items, templateKeys }: Omit<KeySelection, 'selected'>) {
  const whole = deliverable(items)
  if (templateKeys.length === 0) return { selected: whole, missing: [] }
  const present = new Set(items.map(({ key }) => key))
  return {
    selected: new Set(templateKeys.filter((name) => whole.has(name))),
    missing: [...new Set(templateKeys)].filter((name) => !present.has(name)),
  }
}

/** The entries that were asked for, and the others. */
export function splitByAsking({ items, templateKeys }: Omit<KeySelection, 'selected'>) {
  const wanted = new Set(templateKeys)
  const isAsked = ({ key }: RequestBundleItem) => wanted.size === 0 || wanted.has(key)
  return { asked: items.filter(isAsked), others: items.filter((item) => !isAsked(item)) }
}

/** Selected, although the terminal did not ask for them. */
export function unaskedOf(selection: KeySelection): string[] {
  const { others } = splitByAsking(selection)
  return others.map(({ key }) => key).filter((name) => selection.selected.has(name))
}

/** Required by the bundle and asked for, but deselected. */
export function leftOutOf(selection: KeySelection): string[] {
  const first = firstKeys(selection).selected
  return selection.items
    .filter(({ key, required }) => required && first.has(key) && !selection.selected.has(key))
    .map(({ key }) => key)
}

/** As many characters of names as an address can contain. */
const MOST_CHARS = 4_000

/** The selected keys that another bundle makes stricter, with commas between them: on them depends what the rules
 * demand. Null where they are those that the terminal requested, which the server judges unasked. */
export function stricterKeys(selection: KeySelection): string | null {
  const asked = stricterOf(splitByAsking(selection).asked).join()
  const names = stricterOf(selection.items.filter(({ key }) => selection.selected.has(key))).join()
  if (names === asked) return null
  return names.length <= MOST_CHARS ? names : names.slice(0, names.lastIndexOf(',', MOST_CHARS))
}

/** The names that another bundle makes stricter. */
export function stricterOf(items: readonly RequestBundleItem[]): string[] {
  return items.filter(({ stricter }) => stricter === true).map(({ key }) => key)
}
