/** An edit of a record: the fields that a person changed, and what they saw of these before. */
export type Edit<Fields> = { readonly changed: Partial<Fields>; readonly seen: Partial<Fields> }

/** A field that another person changed as well: what it is now, and what this person wants. */
export type Conflict = { readonly field: string; readonly theirs: unknown; readonly mine: unknown }

export const NO_EDIT = { changed: {}, seen: {} } as const

/** The edit after one more change. What a person saw of a field is what was stored when they first changed it. */
export function edited<Fields extends object>(
  edit: Edit<Fields>,
  stored: Fields,
  part: Partial<Fields>,
): Edit<Fields> {
  const changed = { ...edit.changed, ...part }
  return { changed, seen: { ...picked(stored, fieldsOf(changed)), ...edit.seen } }
}

/** What a call sends: the fields that differ from what is stored, and what the person saw of them. Null: nothing. */
export function changeOf<Fields extends object>({ changed, seen }: Edit<Fields>, stored: Fields) {
  const fields = fieldsOf(changed).filter((field) => !isSame(changed[field], stored[field]))
  if (fields.length === 0) return null
  return { ...picked(changed, fields), expected: picked(seen, fields) }
}

/** Where another person changed a field that this person changed too. */
export function conflictsOf<Fields extends object>(edit: Edit<Fields>, stored: Fields): Conflict[] {
  const { changed, seen } = edit
  return fieldsOf(changed)
    .filter((field) => !isSame(stored[field], seen[field]) && !isSame(stored[field], changed[field]))
    .map((field) => ({ field: String(field), theirs: stored[field], mine: changed[field] }))
}

/** The edit of a person who has seen what is stored now, and still wants their own. */
export function rebased<Fields extends object>({ changed }: Edit<Fields>, stored: Fields): Edit<Fields> {
  return { changed, seen: picked(stored, fieldsOf(changed)) }
}

/** The edit without the fields in which another person was first. */
export function yielded<Fields extends object>(edit: Edit<Fields>, stored: Fields): Edit<Fields> {
  const lost = new Set(conflictsOf(edit, stored).map(({ field }) => field))
  const kept = fieldsOf(edit.changed).filter((field) => !lost.has(String(field)))
  return { changed: picked(edit.changed, kept), seen: picked(edit.seen, kept) }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function fieldsOf<Fields extends object>(part: Partial<Fields>): (keyof Fields)[] {
  return Object.keys(part) as (keyof Fields)[]
}

/** Some fields of a record. */
function picked<Fields extends object>(part: Partial<Fields>, fields: readonly (keyof Fields)[]) {
  const entries = fields.map((field) => [field, part[field]])
  return Object.fromEntries(entries) as Partial<Fields>
}
