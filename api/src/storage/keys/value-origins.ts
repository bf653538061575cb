import type { ValueOriginStore } from '../../domain/kinds/request-offer.ts'
import type { Queries } from '../base/queries.ts'
import { keysAttached } from '../base/tenant-rows.ts'

/** Reads when each value of a bundle was set, and by whom. */
export function createValueOriginStore({ query, prepare }: Queries): ValueOriginStore {
  const read = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    keysAttached(query, value('tenantId'))
      .leftJoin('users', 'users.id', 'keys.value_set_by')
      .select(['attachments.delivered_name as name', 'keys.value_set_at as changed_at'])
      .select('users.username as changed_by')
      .where('attachments.bundle_id', '=', value('bundleId')),
  )
  return {
    async of(tenantId, bundleId) {
      const rows = await read({ tenantId, bundleId })
      return new Map(rows.map(({ name, ...origin }) => [name, origin]))
    },
  }
}
