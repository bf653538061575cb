import { DomainError } from './errors.ts'

/** A change of some fields of a record. `expected`: fields as the caller read them. */
export type ExpectedChange<Fields> = { [Field in keyof Fields]?: Fields[Field] | undefined } & {
  expected?: { [Field in keyof Fields]?: Fields[Field] | undefined } | undefined
}

/** Whether a record still is what the caller read, or already is what they want. A store asks in the transaction that
 * changes the record.
 * @throws DomainError changed (`details.fields`; `details.current`: what they are now) */
export function requireExpected<Fields extends object>(
  change: ExpectedChange<Fields>,
  current: Fields,
): void {
  const isChanged = (field: keyof Fields) => {
    const seen = change.expected?.[field]
    return seen !== undefined && !isSame(seen, current[field]) && !isSame(change[field], current[field])
  }
  const fields = (Object.keys(current) as (keyof Fields)[]).filter(isChanged)
  if (fields.length === 0) return
  const now = Object.fromEntries(fields.map((field) => [field, current[field]]))
  throw new DomainError('changed', 'changed after you read it; read it again', {
    details: { fields, current: now },
  })
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
