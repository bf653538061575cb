import { entryOf } from '../../domain/audit/audit.ts'
import { madeByOperator } from '../../domain/base/event.ts'
import { type ApprovalKey, fingerprintOf } from '../../domain/people/approval-key.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { countOf, selectOf } from '../base/tenant-rows.ts'
import type { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { confirmKey, endWait, listKeys } from './approval-keys.ts'

type ForOperator = { tenantKeys: TenantKeys; now: string }

/** A key that waits for its confirmation, with whose it is. `addedFrom`: the network address, and whether the person
 * did nothing else from there; null: the log does not say. */
export type AwaitedKey = ApprovalKey & {
  workspace: string
  email: string
  fingerprint: string
  addedFrom: { address: string; isNew: boolean } | null
}

/** Of all workspaces. */
export async function awaitedApprovalKeys(
  query: Query,
  { tenantKeys, now }: ForOperator,
): Promise<AwaitedKey[]> {
  const rows = await query
    .selectFrom('approval_keys')
    .innerJoin('tenants', 'tenants.id', 'approval_keys.tenant_id')
    .innerJoin('users', 'users.id', 'approval_keys.user_id')
    .select(['approval_keys.id', 'tenant_id', 'tenants.name as workspace', 'users.email'])
    .where('state', '<>', 'active')
    .execute()
  const tenants = [...new Set(rows.map(({ tenant_id }) => tenant_id))]
  const keys = await Promise.all(tenants.map((tenantId) => listKeys(query, tenantKeys, { tenantId, now })))
  const awaited = keys.flat().flatMap((key) => {
    const row = rows.find(({ id }) => id === key.id && key.state !== 'active')
    return row === undefined ? [] : { ...key, workspace: row.workspace, email: row.email }
  })
  return Promise.all(
    awaited.map(async (key) => ({
      ...key,
      fingerprint: fingerprintOf(key),
      addedFrom: await addedFrom(query, key),
    })),
  )
}

const EVENTS_READ = 1_000

async function addedFrom(
  query: Query,
  { tenantId, userId, id }: ApprovalKey,
): Promise<AwaitedKey['addedFrom']> {
  const appended = await selectOf(query, 'audit_log', { tenantId, actor_id: userId })
    .select(['body', 'origin'])
    .orderBy('seq', 'desc')
    .limit(EVENTS_READ)
    .execute()
  const waiting = await selectOf(query, 'events', tenantId).select(['body', 'origin']).execute()
  const done = [...waiting, ...appended]
    .map(({ body, origin }) => entryOf(body, origin))
    .filter(({ actor }) => actor.id === userId)
  const added = done.find(({ data }) => data['approval_key'] === id)
  const address = added?.origin?.['ip']
  if (address === undefined) return null
  return { address, isNew: done.every((each) => each.id === added?.id || each.origin?.['ip'] !== address) }
}

/** How many keys do not count, because they belong to another host. */
export async function countKeysElsewhere(query: Query, rpId: string | undefined): Promise<number> {
  return countOf(query.selectFrom('approval_keys').where('rp_id', '<>', rpId ?? ''))
}

/** Let a key count at once, for the operator of the server. */
export async function confirmByOperator(
  transaction: Recorded,
  { tenantKeys, now, key }: ForOperator & { key: ApprovalKey },
): Promise<boolean> {
  await endWait(transaction, key)
  const made = { ...madeByOperator(now), tenantId: key.tenantId }
  return await confirmKey(transaction, tenantKeys, { key, by: 'operator', made })
}
