import type { LastApprovalStore } from '../../domain/kinds/last-approval.ts'
import { keysIn } from '../base/delivery-texts.ts'
import type { Queries } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/** Reads what a person approved last of a bundle. */
export function createLastApprovalStore({ query }: Queries): LastApprovalStore {
  return {
    async of(tenantId, { userId, bundleId }) {
      const row = await selectOf(query, 'deliveries', { tenantId, user_id: userId, bundle_id: bundleId })
        .select(['created_at', 'versions'])
        .where('kind', '=', 'approval')
        .where('state', '!=', 'void')
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ? { at: row.created_at, keys: keysIn(row.versions) } : null
    },
  }
}
