import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { rotationTime } from '../../domain/library/key-lifetime.ts'
import { send } from '../base/pipeline.ts'
import type { Recorded } from '../base/queries.ts'
import type { KeyRow, Tables } from '../base/tables.ts'
import { deleteOf } from '../base/tenant-rows.ts'

export type KeyWriteParts = {
  transaction: Recorded
  /** Versions of one key that are kept, with the current one; 0: all. */
  versionsKept: number
}

/** What a change writes to a key that the transaction has locked. `replacedAt`: when its value was replaced; null for a
 * change that keeps the value. */
export type KeyWrite = {
  current: KeyRow
  replacedAt: string | null
  columns: Partial<KeyRow>
  event: Event
}

/** Write changes of keys of one tenant: the replaced values become versions, the oldest versions leave. */
export async function writeKeyChanges(parts: KeyWriteParts, changes: readonly KeyWrite[]): Promise<void> {
  const { transaction } = parts
  const replaced = changes.flatMap(({ current, replacedAt: at }) => (at === null ? [] : [{ current, at }]))
  await transaction.insertAll(
    'key_versions',
    replaced.map(({ current, at }) => replacedVersion(current, at)),
  )
  await removeOldest(
    parts,
    replaced.map(({ current }) => current),
  )
  const rows = changes.map(({ current: { tenant_id, id }, columns }) => ({ tenant_id, id, ...columns }))
  for (const [, alike] of Map.groupBy(rows, (row) => Object.keys(row).join())) {
    await transaction.updateAll('keys', { by: ['tenant_id', 'id'], rows: alike })
  }
  for (const { event } of changes) transaction.record(event)
}

function replacedVersion(current: KeyRow, at: string): Tables['key_versions'] {
  const { tenant_id, id: key_id, value_version: version, name, is_secret, template_parts, value } = current
  return {
    tenant_id,
    key_id,
    version,
    name,
    is_secret,
    template_parts,
    value,
    was_secret: current.value_was_secret,
    set_at: current.value_set_at,
    set_by: current.value_set_by,
    proposed_by: current.value_proposed_by,
    changed_elsewhere_at: current.value_changed_elsewhere_at,
    how: current.value_how,
    restored_from: current.value_restored_from,
    replaced_at: at,
    destroyed_at: null,
    destroyed_by: null,
  }
}

/** @param replaced the keys before their new values */
async function removeOldest({ transaction, versionsKept }: KeyWriteParts, replaced: readonly KeyRow[]) {
  const full = replaced.filter(({ value_version }) => versionsKept > 0 && value_version + 1 > versionsKept)
  // Keys of the same version lose the same version.
  for (const [version, keys] of Map.groupBy(full, ({ value_version }) => value_version)) {
    const ids = keys.map(({ id }) => id)
    const oldest = deleteOf(transaction, 'key_versions', keys[0]?.tenant_id ?? '')
      .where('key_id', 'in', ids)
      .where('version', '<=', version + 1 - versionsKept)
    await send(transaction, oldest)
  }
}

/** Insert new keys of one tenant, with an event for each. */
export async function writeNewKeys(
  transaction: Recorded,
  rows: readonly KeyRow[],
  stamp: Stamp,
): Promise<void> {
  await transaction.insertAll('keys', rows)
  for (const row of rows) transaction.record(keyCreated(row, stamp))
}

function keyCreated({ id, name, ...row }: KeyRow, stamp: Stamp): Event {
  const elsewhere = row.value_changed_elsewhere_at
  const data = {
    version: row.value_version,
    is_secret: row.is_secret === 1,
    ...(row.template_parts === null ? {} : { is_template: true }),
    ...(elsewhere === null ? {} : { changed_elsewhere_at: elsewhere }),
  }
  return { ...madeBy(stamp), action: 'key.created', target: { kind: 'key', id, name }, data }
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
