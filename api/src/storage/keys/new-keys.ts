import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { rotationTime } from '../../domain/library/key-lifetime.ts'
import type { Query } from '../base/queries.ts'
import type { KeyRow } from '../base/tables.ts'

type NewlyMade = {
  id: string
  name: string
  is_secret: boolean
  isTemplate?: boolean
  /** Above 1 for a copy: it continues the count of the key that it replaces. */
  value_version?: number
  value_changed_elsewhere_at?: string | null
}

/** The event of a new key. */
export function keyCreated(
  tenantId: string,
  {
    id,
    name,
    is_secret,
    isTemplate = false,
    value_version: version = 1,
    value_changed_elsewhere_at: elsewhere = null,
  }: NewlyMade,
  stamp: Stamp,
): Event {
  const target = { kind: 'key', id, name } as const
  const data = {
    version,
    is_secret,
    ...(isTemplate ? { is_template: true } : {}),
    ...(elsewhere === null ? {} : { changed_elsewhere_at: elsewhere }),
  }
  return { tenantId, action: 'key.created', target, data, ...madeBy(stamp) }
}

type NewKeyRow = Omit<
  KeyRow,
  keyof typeof FIRST_VALUE | 'value_set_at' | 'value_set_by' | 'value_was_secret' | 'rotate_at'
> &
  Partial<Pick<KeyRow, keyof typeof FIRST_VALUE>>

const FIRST_VALUE = {
  value_how: 'set',
  value_restored_from: null,
  value_proposed_by: null,
  value_changed_elsewhere_at: null,
  template_parts: null,
  expires_at: null,
  rotate_after_days: null,
} as const satisfies Partial<KeyRow>

/** A new key's row, with what is known of its first value. */
export function newKeyRow(key: NewKeyRow): KeyRow {
  const row = { ...FIRST_VALUE, ...key, value_set_at: key.created_at }
  return {
    ...row,
    value_set_by: key.created_by,
    value_was_secret: key.is_secret,
    rotate_at: rotationTime(row, row.rotate_after_days),
  }
}

/** Adds no row where the tenant has a key of this name. */
export function keyInsertion(query: Query, key: NewKeyRow) {
  return query
    .insertInto('keys')
    .values(newKeyRow(key))
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
}
