import type { AuditAction } from '@keyferry/contract'
import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { type Event, madeBy } from '../domain/event.ts'
import type { KeyChanged, StampedChange, ValueHow } from '../domain/key.ts'
import { rotationTime } from '../domain/key-lifetime.ts'
import type { Stamp } from '../domain/stamp.ts'
import { templatePartsOf } from '../domain/template.ts'
import { type KeyWrite, type KeyWriteParts, writeKeyChanges } from './key-writes.ts'
import type { Query } from './queries.ts'
import { flag, type KeyRow } from './tables.ts'
import { updateOf } from './tenant-rows.ts'
import { storedParts, type TenantVault } from './value-vault.ts'

/*
 * Every change of a key that exists goes through here: a new value, another mark, a description. The replaced value is
 * copied to `key_versions` as it is: its blob is bound to the key's id, and to the name, mark, parts and version of that
 * moment, which the copy keeps. So it still opens after the key changes.
 */

export type KeyChangeParts = KeyWriteParts & { vault: TenantVault }

/** Where a new value comes from; without it a person set it. */
type Source = { how: ValueHow; restoredFrom: number | null }

const BY_HAND: Source = { how: 'set', restoredFrom: null }

/** Lock keys until the transaction ends, so that values are encrypted for the rows that they go into. */
export function holdKeysOf(transaction: Query, tenantId: string, keyIds: readonly string[]) {
  return updateOf(transaction, 'keys', tenantId)
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', 'in', keyIds)
    .returningAll()
    .execute()
}

/** As `holdKeysOf`, for one key. */
export async function holdKey(
  transaction: Query,
  tenantId: string,
  keyId: string,
): Promise<KeyRow | undefined> {
  const [row] = await holdKeysOf(transaction, tenantId, [keyId])
  return row
}

type Change = { change: StampedChange; source?: Source }

/** Change a key in a transaction, which holds the key from then on. */
export async function changeKey(
  parts: KeyChangeParts,
  { tenantId, keyId, ...change }: Change & { tenantId: string; keyId: string },
): Promise<KeyChanged> {
  const current = await holdKey(parts.transaction, tenantId, keyId)
  return current ? changeHeldKey(parts, { ...change, current }) : { status: 'absent' }
}

/** Change a key that the transaction holds, and record the change. A change that changes nothing writes nothing. */
export async function changeHeldKey(
  parts: KeyChangeParts,
  { current, ...change }: Change & { current: KeyRow },
): Promise<KeyChanged> {
  const conflict = conflictOf(current, change.change.expectedVersion)
  if (conflict) return conflict
  const written = changeOfKey(parts.vault, current, change)
  if (written) await writeKeyChanges(parts, [written])
  return { status: 'done' }
}

/** What a change writes to a key that the transaction holds; null when it changes nothing. */
export function changeOfKey(
  vault: TenantVault,
  current: KeyRow,
  { change, source = BY_HAND }: Change,
): KeyWrite | null {
  const wanted = withoutSame(vault, current, {
    ...change,
    isTemplate: change.isTemplate ?? isTemplate(current),
  })
  const changed = changedFields(current, wanted)
  if (changed.length === 0) return null
  return {
    current,
    replacedAt: wanted.value ? wanted.stamp.at : null,
    columns: changedColumns(vault, current, { wanted, source }),
    event: eventOf(current, wanted, { changed, source }),
  }
}

/** The refusal of a change that expects another version; null where there is none. */
export function conflictOf(
  { value_version: version }: KeyRow,
  expected: number | undefined,
): KeyChanged | null {
  return expected === undefined || expected === version ? null : { status: 'conflict', version }
}

function isTemplate({ template_parts }: Pick<KeyRow, 'template_parts'>): boolean {
  return template_parts !== null
}

type WantedChange = StampedChange & { isTemplate: boolean }

// A repeated import or a second restore brings the value that is there: no version, so that no holder becomes stale. A text
// that becomes a template, or stops being one, gives bundles another value.
function withoutSame({ open }: TenantVault, current: KeyRow, change: WantedChange): WantedChange {
  if (change.isTemplate !== isTemplate(current)) {
    return { ...change, value: change.value ?? open(current) ?? undefined }
  }
  if (!change.value || !isSame(open, current, change.value)) return change
  return { ...change, value: undefined }
}

// A value that cannot be opened, because its row was edited, can still be replaced.
function isSame(open: TenantVault['open'], current: KeyRow, value: Plaintext): boolean {
  try {
    return open(current)?.equals(value) === true
  } catch (error) {
    if (error instanceof CryptoError) return false
    throw error
  }
}

const DESCRIPTIVE = ['description', 'expires_at', 'rotate_after_days'] as const

function changedFields(current: KeyRow, wanted: WantedChange): string[] {
  const { value, is_secret } = wanted
  const isMarked = is_secret !== undefined && flag(is_secret) !== current.is_secret
  const described = DESCRIPTIVE.filter((name) => wanted[name] !== undefined && wanted[name] !== current[name])
  const isOther = wanted.isTemplate !== isTemplate(current)
  const marks = [...(isMarked ? ['is_secret'] : []), ...(isOther ? ['is_template'] : [])]
  return [...(value ? ['value'] : []), ...marks, ...described]
}

function changedColumns(
  { seal, open }: TenantVault,
  current: KeyRow,
  { wanted, source }: { wanted: WantedChange; source: Source },
): Partial<KeyRow> {
  const { id, name, value_version, template_parts: parts } = current
  const is_secret = wanted.is_secret === undefined ? current.is_secret : flag(wanted.is_secret)
  const plain = plainColumns(current, wanted)
  if (wanted.value) {
    const template_parts = wanted.isTemplate ? storedParts(templatePartsOf(wanted.value)) : null
    const bound = { id, name, is_secret, value_version: value_version + 1, template_parts }
    return {
      ...plain,
      ...newValueColumns(wanted.stamp, source),
      value_was_secret: is_secret,
      ...seal(wanted.value, bound),
    }
  }
  if (is_secret === current.is_secret) return plain
  // The value is bound to its mark.
  const value = open(current)
  const value_was_secret = is_secret === 1 ? 1 : current.value_was_secret
  return value === null
    ? plain
    : {
        ...plain,
        value_was_secret,
        ...seal(value, { id, name, is_secret, value_version, template_parts: parts }),
      }
}

function plainColumns(current: KeyRow, wanted: StampedChange): Partial<KeyRow> {
  const { stamp, description = current.description, expires_at = current.expires_at } = wanted
  const { rotate_after_days = current.rotate_after_days } = wanted
  const lastChange = wanted.value ? { value_set_at: stamp.at, value_changed_elsewhere_at: null } : current
  const rotate_at = rotationTime(lastChange, rotate_after_days)
  return { updated_at: stamp.at, updated_by: stamp.by, description, expires_at, rotate_after_days, rotate_at }
}

function newValueColumns({ at, by }: Stamp, { how, restoredFrom }: Source) {
  return {
    value_set_at: at,
    value_set_by: by,
    value_changed_elsewhere_at: null,
    value_how: how,
    value_restored_from: restoredFrom,
  }
}

function eventOf(
  current: KeyRow,
  wanted: WantedChange,
  { changed, source }: { changed: readonly string[]; source: Source },
): Event {
  const { tenant_id: tenantId, id, name, value_version } = current
  const action = actionOf(wanted, changed, source)
  const data = {
    version: wanted.value ? value_version + 1 : value_version,
    is_secret: wanted.is_secret ?? current.is_secret === 1,
    ...(changed.includes('is_template') ? { is_template: wanted.isTemplate } : {}),
    ...(source.restoredFrom === null ? {} : { restored_from: source.restoredFrom }),
    changed,
  }
  return { tenantId, action, target: { kind: 'key', id, name }, data, ...madeBy(wanted.stamp) }
}

function actionOf({ is_secret }: StampedChange, changed: readonly string[], { how }: Source): AuditAction {
  if (changed.includes('value')) return how === 'restore' ? 'key.restored' : 'key.changed'
  if (!changed.includes('is_secret')) return 'key.described'
  return is_secret ? 'key.declared_secret' : 'key.declared_public'
}
