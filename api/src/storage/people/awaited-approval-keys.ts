import { madeByOperator } from '../../domain/base/event.ts'
import type { ApprovalKey, Confirmation } from '../../domain/people/approval-key.ts'
import type { Query, Recorded } from '../base/queries.ts'
import type { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { about, confirmKey, listKeys } from './approval-keys.ts'

type ForOperator = { tenantKeys: TenantKeys; now: string }

/** A key that waits for its confirmation, with whose it is. */
export type AwaitedKey = ApprovalKey & { workspace: string; email: string }

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
  return keys.flat().flatMap((key) => {
    const row = rows.find(({ id }) => id === key.id)
    return row === undefined ? [] : [{ ...key, workspace: row.workspace, email: row.email }]
  })
}

/** Let a key count at once, for the operator of the server. */
export function confirmByOperator(
  transaction: Recorded,
  { tenantKeys, now, key }: ForOperator & { key: ApprovalKey },
): Promise<boolean> {
  const to: Confirmation = { ...key, state: 'active', confirmedBy: 'operator' }
  const made = { ...madeByOperator(now), tenantId: key.tenantId }
  return confirmKey(transaction, tenantKeys, {
    key,
    to,
    event: { ...made, action: 'approval_key.confirmed', ...about(key) },
  })
}
