import type { AuditAction } from '@keyferry/contract'
import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { type Event, madeBy } from '../domain/event.ts'
import type { KeyChanged, StampedChange, ValueHow } from '../domain/key.ts'
import { rotationTime } from '../domain/key-lifetime.ts'
import type { Stamp } from '../domain/stamp.ts'
import { templatePartsOf } from '../domain/template.ts'
import { send } from './pipeline.ts'
import type { Query, Recorded } from './queries.ts'
import { flag, type KeyRow } from './tables.ts'
import { storedParts, type TenantVault } from './value-vault.ts'

/*
 * Every change of a key that exists goes through here: a new value, another mark, a description. The replaced value is
 * copied to `key_versions` as it is: its blob is bound to the key's id, and to the name, mark, parts and version of that
 * moment, which the copy keeps. So it opens whatever happens to the key later.
 */

export type KeyChangeParts = Recorded & {
  vault: TenantVault
  /** Versions of one key that are kept, with the current one; 0: all. */
  versionsKept: number
}

/** Where a new value comes from; without it a person set it. */
type Source = { how: ValueHow; restoredFrom: number | null }

const BY_HAND: Source = { how: 'set', restoredFrom: null }

/** Lock a key until the transaction ends, so that the value is encrypted for the row that it goes into. */
export function holdKey(transaction: Query, tenantId: string, keyId: string) {
  return transaction
    .updateTable('keys')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirst()
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
  { current, change, source = BY_HAND }: Change & { current: KeyRow },
): Promise<KeyChanged> {
  const { transaction, vault } = parts
  const conflict = conflictOf(current, change.expectedVersion)
  if (conflict) return conflict
  const wanted = withoutSame(vault, current, {
    ...change,
    isTemplate: change.isTemplate ?? isTemplate(current),
  })
  const changed = changedFields(current, wanted)
  if (changed.length === 0) return { status: 'done' }
  if (wanted.value) await archive(transaction, parts.versionsKept, { current, at: wanted.stamp.at })
  const update = transaction
    .updateTable('keys')
    .set(changedColumns(vault, current, { wanted, source }))
    .where('id', '=', current.id)
    .where('tenant_id', '=', current.tenant_id)
  await send(transaction, update)
  await parts.record(transaction, eventOf(current, wanted, { changed, source }))
  return { status: 'done' }
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

async function archive(
  transaction: Query,
  versionsKept: number,
  { current, at }: { current: KeyRow; at: string },
): Promise<void> {
  const { tenant_id, id: key_id, value_version: version, name, is_secret, template_parts, value } = current
  const replaced = transaction.insertInto('key_versions').values({
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
    how: current.value_how,
    restored_from: current.value_restored_from,
    replaced_at: at,
    destroyed_at: null,
    destroyed_by: null,
  })
  await send(transaction, replaced)
  const oldest = version + 1 - versionsKept
  if (versionsKept === 0 || oldest < 1) return
  const tooOld = transaction
    .deleteFrom('key_versions')
    .where('tenant_id', '=', tenant_id)
    .where('key_id', '=', key_id)
    .where('version', '<=', oldest)
  await send(transaction, tooOld)
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
  const rotate_at = rotationTime(wanted.value ? stamp.at : current.value_set_at, rotate_after_days)
  return { updated_at: stamp.at, updated_by: stamp.by, description, expires_at, rotate_after_days, rotate_at }
}

function newValueColumns({ at, by }: Stamp, { how, restoredFrom }: Source) {
  return { value_set_at: at, value_set_by: by, value_how: how, value_restored_from: restoredFrom }
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
