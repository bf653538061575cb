import { CryptoError } from '@keyferry/crypto/crypto-error'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { keyNotFound, type StampedChange } from '../../domain/library/key.ts'
import {
  type CurrentKey,
  type CurrentValue,
  type EffectiveChange,
  effectiveChange,
  keyChanged,
  type ValueSource,
  versionConflict,
} from '../../domain/library/key-change.ts'
import { rotationTime } from '../../domain/library/key-lifetime.ts'
import { templateUsesOf } from '../../domain/library/template.ts'
import { mayCompare, requireChangeAllowed } from '../../domain/library/value-rights.ts'
import type { Caller } from '../../domain/people/membership.ts'
import { ask } from '../base/pipeline.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { flag, type KeyRow } from '../base/tables.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { changersOf } from '../bundles/value-rights.ts'
import { storedUses, type TenantVault } from '../keys-at-rest/value-vault.ts'
import { type KeyWrite, type KeyWriteParts, writeKeyChanges } from './key-writes.ts'

/*
 * Every change of a key that exists goes through here: a new value, another mark, a description. The replaced value is
 * copied to `key_versions` as it is: its blob is bound to the key's id, and to the name, mark, parts and version of
 * that moment, which the copy keeps. So it still opens after the key changes.
 */

export type KeyChangeParts = KeyWriteParts & { vault: TenantVault }

const BY_HAND: ValueSource = { how: 'set', restoredFrom: null }

/** Lock keys until the transaction ends, so that values are encrypted for the rows that they go into. */
export function lockKeysOf(transaction: Recorded, tenantId: string, keyIds: readonly string[]) {
  const keys = selectOf(transaction, 'keys', tenantId).selectAll().where('id', 'in', keyIds)
  return ask(transaction, keys.modifyEnd(transaction.lockToChange))
}

/** As `lockKeysOf`, for one key.
 * @throws DomainError not_found */
export async function lockKey(transaction: Recorded, tenantId: string, keyId: string): Promise<KeyRow> {
  const [row] = await lockKeysOf(transaction, tenantId, [keyId])
  if (!row) throw keyNotFound()
  return row
}

/** `isSame`: whether a value is the current one, and the editor may learn that; then it is no change. Without: compared
 * with the stored value. */
type KeyValueChange = { change: StampedChange; source?: ValueSource; isSame?: CurrentValue['isSame'] }

/** Change a key that the transaction has locked, and record the change. A change that changes nothing writes nothing.
 * @throws DomainError version_conflict · changed · forbidden: the editor may not make this change */
export async function changeLocked(
  parts: KeyChangeParts,
  { current, ...change }: KeyValueChange & { current: KeyRow },
): Promise<void> {
  const isComparable = await requireAllowed(parts.transaction, current, change.change)
  await requireVersion(parts.transaction, current, change.change.expectedVersion)
  requireExpected(change.change, describedIn(current))
  const written = changeOfKey(
    parts.vault,
    current,
    isComparable ? change : { ...change, isSame: () => false },
  )
  if (written) await writeKeyChanges(parts, [written])
}

/** @throws DomainError version_conflict */
export async function requireVersion(
  transaction: Query,
  { value_version: version, value_set_by: id, value_set_at: set_at }: KeyRow,
  expected: number | undefined,
): Promise<void> {
  if (expected === undefined || expected === version) return
  const users = transaction.selectFrom('users').select('username').where('id', '=', id)
  const [setter] = await ask(transaction, users)
  throw versionConflict({ version, set_by: { kind: 'user', id, name: setter?.username ?? null }, set_at })
}

function describedIn({ description, is_secret, expires_at, rotate_after_days }: KeyRow) {
  return { description, is_secret: is_secret === 1, expires_at, rotate_after_days }
}

/** @returns whether the editor may learn that a value is the current one */
async function requireAllowed(transaction: Query, current: KeyRow, change: StampedChange): Promise<boolean> {
  const { editor } = change
  if (!editor || editor.role === 'owner') return true
  const rights = await rightsOfKey(transaction, current, editor)
  requireChangeAllowed(editor, rights, { ...change, wasTemplate: current.template_parts !== null })
  return mayCompare(editor, { ...rights, is_secret: current.is_secret === 1 })
}

/** What decides who may change the current value. */
export async function rightsOfKey(
  query: Query,
  { tenant_id, id, value_set_by, value_proposed_by }: KeyRow,
  { reach }: Pick<Caller, 'reach'>,
) {
  const changers = (await changersOf({ query, reach }, tenant_id, [id])).get(id) ?? 'owner'
  return { value_set_by, value_proposed_by, changers }
}

/** What a change writes to a key that the transaction has locked; null when it changes nothing. */
export function changeOfKey(
  vault: TenantVault,
  current: KeyRow,
  { change, source = BY_HAND, isSame = isStored(vault, current) }: KeyValueChange,
): KeyWrite | null {
  const open = () => vault.open(current)
  const wanted = effectiveChange(keyOf(current), { open, isSame }, change)
  if (wanted === null) return null
  const { tenant_id: tenantId, id, name } = current
  return {
    current,
    replacedAt: wanted.value ? wanted.stamp.at : null,
    columns: changedColumns(vault, current, { wanted, source }),
    event: keyChanged({ tenantId, id, name, is_secret: current.is_secret === 1 }, wanted, source),
  }
}

function keyOf({ value_version: version, is_secret, template_parts, ...described }: KeyRow): CurrentKey {
  return { ...described, version, is_secret: is_secret === 1, isTemplate: template_parts !== null }
}

// A value that cannot be opened, because its row was edited, can still be replaced.
function isStored({ open }: TenantVault, current: KeyRow): CurrentValue['isSame'] {
  return (value) => {
    try {
      return open(current)?.equals(value) === true
    } catch (error) {
      if (error instanceof CryptoError) return false
      throw error
    }
  }
}

function changedColumns(
  { encrypt, open }: TenantVault,
  current: KeyRow,
  { wanted, source }: { wanted: EffectiveChange; source: ValueSource },
): Partial<KeyRow> {
  const { id, name, value_version, template_parts: parts } = current
  const is_secret = wanted.is_secret === undefined ? current.is_secret : flag(wanted.is_secret)
  const plain = plainColumns(current, wanted)
  if (wanted.value) {
    const template_parts = wanted.isTemplate ? storedUses(templateUsesOf(wanted.value)) : null
    const bound = { id, name, is_secret, value_version: wanted.version, template_parts }
    return {
      ...plain,
      ...newValueColumns(wanted.stamp, source),
      value_was_secret: is_secret,
      ...encrypt(wanted.value, bound),
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
        ...encrypt(value, { id, name, is_secret, value_version, template_parts: parts }),
      }
}

function plainColumns(current: KeyRow, wanted: StampedChange): Partial<KeyRow> {
  const { stamp, description = current.description, expires_at = current.expires_at } = wanted
  const { rotate_after_days = current.rotate_after_days } = wanted
  const lastChange = wanted.value ? { value_set_at: stamp.at, value_changed_elsewhere_at: null } : current
  const rotate_at = rotationTime(lastChange, rotate_after_days)
  return { updated_at: stamp.at, updated_by: stamp.by, description, expires_at, rotate_after_days, rotate_at }
}

function newValueColumns(
  { at, by }: Stamp,
  { how, restoredFrom, proposedBy = null, setBy = by }: ValueSource,
) {
  return {
    value_set_at: at,
    value_set_by: setBy,
    value_changed_elsewhere_at: null,
    value_how: how,
    value_restored_from: restoredFrom,
    value_proposed_by: proposedBy,
  }
}
