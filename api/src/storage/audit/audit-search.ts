import type { AuditAction } from '@keyferry/contract'
import { entryOf } from '../../domain/audit/audit.ts'
import type { Query } from '../base/queries.ts'
import { selectOf } from '../base/tenant-rows.ts'

/** An event by its action and members of its data. */
export type Sought = { tenantId: string; action: AuditAction; data: Readonly<Record<string, unknown>> }

/** Whether a tenant has such an event, in its log or in the outbox. */
export async function hasEvent(query: Query, { tenantId, action, data }: Sought): Promise<boolean> {
  // The outbox first: what is sealed in between is then in the log.
  const waiting = await selectOf(query, 'events', tenantId).select(['body', 'origin']).execute()
  const sealed = await selectOf(query, 'audit_log', { tenantId, action })
    .select(['body', 'origin'])
    .orderBy('seq', 'desc')
    .execute()
  return [...sealed, ...waiting].some(({ body, origin }) => {
    const entry = entryOf(body, origin)
    return (
      entry.action === action && Object.entries(data).every(([name, value]) => entry.data[name] === value)
    )
  })
}
