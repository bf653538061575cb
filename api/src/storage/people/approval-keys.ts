import { LIMITS, TIMES } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import { tenantKeyFor } from '@keyferry/crypto/tenant-key'
import { DomainError } from '../../domain/base/errors.ts'
import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import {
  type ApprovalKey,
  type ApprovalKeyStore,
  isAwaited,
  type NewApprovalKey,
  tooManyApprovalKeys,
} from '../../domain/people/approval-key.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { hasChanged, inOneTenant } from '../base/statements.ts'
import { flag } from '../base/tables.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { encryptPublicKey, type KeyColumns, openPublicKey } from '../keys-at-rest/approval-key-rows.ts'
import type { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { lockTenant } from './tenants.ts'

export function createApprovalKeyStore(queries: Queries, tenantKeys: TenantKeys): ApprovalKeyStore {
  const { query, write } = queries
  return {
    list: (asked, now) => listKeys(query, tenantKeys, { ...asked, now }),
    insert: (key, stamp) => write((transaction) => insert(transaction, tenantKeys, { key, stamp })),
    confirm: (key, [ready = ''], stamp) =>
      write(async (transaction) => {
        const { tenantId } = stamp
        const waited = deleteOf(transaction, 'lasting_acts', { tenantId, id: ready })
        if (!(await hasChanged(waited))) return false
        await endWait(transaction, key)
        return await confirmKey(transaction, tenantKeys, { key, by: stamp.by, made: madeBy(stamp) })
      }),
    remove: (key, stamp) =>
      write(async (transaction) => {
        const { tenantId } = stamp
        if (!(await hasChanged(deleteOf(transaction, 'approval_keys', { tenantId, id: key.id }))))
          return false
        await endWait(transaction, key)
        transaction.record({ ...madeBy(stamp), action: 'approval_key.removed', ...about(key) })
        return true
      }),
    use: (key, counter, now) => useApprovalKey(query, { key, counter, now }),
  }
}

/** The keys of a workspace, or of one person in it. */
export async function listKeys(
  query: Query,
  tenantKeys: TenantKeys,
  { tenantId, userId, now }: { tenantId: string; userId?: string; now: string },
): Promise<ApprovalKey[]> {
  const whose = userId === undefined ? tenantId : { tenantId, user_id: userId }
  const rows = await selectOf(query, 'approval_keys', whose)
    .innerJoin('users', 'users.id', 'approval_keys.user_id')
    .leftJoin('lasting_acts', (join) => join.on(inOneTenant('lasting_acts.call_hash', 'approval_keys.id')))
    .selectAll('approval_keys')
    .select(['users.username', 'lasting_acts.user_id as signer', 'lasting_acts.counts_from as waits'])
    .where((either) =>
      either.or([
        either('approval_keys.state', '<>', 'pending'),
        either('approval_keys.created_at', '>', overdueBefore(now)),
        either('lasting_acts.id', 'is not', null),
      ]),
    )
    .orderBy('approval_keys.created_at')
    .orderBy('approval_keys.id')
    .orderBy('lasting_acts.counts_from')
    .execute()
  if (rows.length === 0) return []
  const keys = await tenantKeys.of(tenantId)
  // Several people can announce the same confirmation.
  const first = rows.filter(({ id }, at) => rows[at - 1]?.id !== id)
  return first.map((row) => ({
    ...placed(row),
    publicKey: openPublicKey(row, tenantKeyFor(row.public_key, keys)),
  }))
}

type ApprovalKeyRow = KeyColumns & {
  username: string
  name: string
  transports: string
  counter: number
  last_used_at: string | null
  signer: string | null
  waits: string | null
}

function placed(row: ApprovalKeyRow) {
  return {
    tenantId: row.tenant_id,
    id: row.id,
    userId: row.user_id,
    username: row.username,
    name: row.name,
    credentialId: row.credential_id,
    isSynced: row.is_synced === 1,
    aaguid: row.aaguid,
    transports: row.transports.split(' ').filter((name) => name !== ''),
    rpId: row.rp_id,
    counter: row.counter,
    state: row.state === 'pending' && row.waits !== null ? ('waiting' as const) : row.state,
    countsFrom: row.waits,
    confirmedBy: row.confirmed_by ?? row.signer,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

/** End each wait for the confirmation of a key. */
export async function endWait(transaction: Recorded, { tenantId, id }: ApprovalKey): Promise<void> {
  await deleteOf(transaction, 'lasting_acts', { tenantId, call_hash: id }).execute()
}

function overdueBefore(now: string): string {
  return new Date(Date.parse(now) - TIMES.approvalKeySeconds * 1_000).toISOString()
}

// Changes of the keys of one workspace follow one another, so that a person gets no second pending key.
async function insert(
  transaction: Recorded,
  tenantKeys: TenantKeys,
  { key, stamp }: { key: NewApprovalKey; stamp: Stamp },
): Promise<void> {
  const { tenantId } = stamp
  await lockTenant(transaction, tenantId)
  const pending = deleteOf(transaction, 'approval_keys', { tenantId, state: 'pending' })
  const waiting = selectOf(transaction, 'lasting_acts', tenantId).select('call_hash')
  await pending.where('created_at', '<=', overdueBefore(stamp.at)).where('id', 'not in', waiting).execute()
  const own = await selectOf(transaction, 'approval_keys', { tenantId, user_id: key.userId })
    .select('state')
    .execute()
  if (own.some(({ state }) => state === 'pending')) throw isAwaited()
  if (own.length >= LIMITS.approvalKeys) throw tooManyApprovalKeys()
  const [tenantKey] = await tenantKeys.locked(transaction, tenantId)
  const row = columnsOf(key, 'pending', null)
  const insertion = transaction.insertInto('approval_keys').values({
    ...row,
    public_key: encryptPublicKey(key.publicKey, row, tenantKey),
    key_hash: digestOf(key.publicKey),
    name: key.name,
    transports: key.transports.join(' '),
    counter: key.counter,
    last_used_at: null,
  })
  if (!(await hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))))
    throw new DomainError('conflict', 'this workspace has this key already')
  transaction.record({ ...madeBy(stamp), action: 'approval_key.added', ...about(key) })
}

type ConfirmedKey = { key: ApprovalKey; by: string; made: Omit<Event, 'action' | 'target'> }

/** Let a key sign. False: it signs already, or is gone. */
export async function confirmKey(
  transaction: Recorded,
  tenantKeys: TenantKeys,
  { key, by, made }: ConfirmedKey,
): Promise<boolean> {
  const { tenantId, id } = key
  const [tenantKey] = await tenantKeys.locked(transaction, tenantId)
  const row = columnsOf(key, 'active', by)
  const { state, confirmed_by } = row
  const update = updateOf(transaction, 'approval_keys', { tenantId, id })
    .where('state', '<>', 'active')
    .set({ state, confirmed_by })
    .set({ public_key: encryptPublicKey(key.publicKey, row, tenantKey) })
  if (!(await hasChanged(update))) return false
  transaction.record({ ...made, action: 'approval_key.confirmed', ...about(key) })
  return true
}

function columnsOf(key: NewApprovalKey, state: KeyColumns['state'], confirmed_by: string | null): KeyColumns {
  return {
    tenant_id: key.tenantId,
    id: key.id,
    user_id: key.userId,
    credential_id: key.credentialId,
    is_synced: flag(key.isSynced),
    aaguid: key.aaguid,
    rp_id: key.rpId,
    state,
    confirmed_by,
    created_at: key.createdAt,
  }
}

/** What an event says about a key. */
function about({ id, userId }: Pick<ApprovalKey, 'id' | 'userId'>) {
  return {
    target: { kind: 'user', id: userId, name: null },
    data: { approval_key: id },
  } as const
}

type CountedKeyUse = { key: ApprovalKey; counter: number; now: string }

/** Count a use. A key that does not count stays at 0. Of two uses with the same count at once, one is refused. */
export function useApprovalKey(query: Query, { key, counter, now }: CountedKeyUse): Promise<boolean> {
  const { tenantId, id } = key
  const uses = updateOf(query, 'approval_keys', { tenantId, id }).set({ counter, last_used_at: now })
  return hasChanged(uses.where('counter', counter === 0 ? '=' : '<', counter))
}

/** End what waits because this person signed it: they are no owner any more, or disabled. */
export async function endWaiting(
  query: Query,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<void> {
  await deleteOf(query, 'lasting_acts', { tenantId, user_id: userId }).execute()
}
