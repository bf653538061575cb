import { changeRequest, type RequestParts } from '../requests/request.ts'
import type { StoredRequest } from '../requests/stored-request.ts'

const AT_ONCE = 50

/** Remove every open request that people of a tenant approved or vouched for, and those that nobody approved yet and
 * that name the tenant, with their sealed values or deposits.
 * @param names how clients name the tenant: its id, and its name if that means no other tenant
 * @returns how many */
export async function removeRequestsOf(
  parts: RequestParts,
  tenantId: string,
  names: readonly string[],
): Promise<number> {
  const ids = await parts.requests.live(parts.clock.now().getTime())
  const step = (stored: StoredRequest) =>
    belongsTo(stored, tenantId, names) ? ({ answer: 1, next: 'removed' } as const) : { answer: 0 }
  let removed = 0
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE).map((id) => changeRequest<number>(parts, id, step))
    for (const answer of await Promise.all(some)) removed += typeof answer === 'number' ? answer : 0
  }
  return removed
}

function belongsTo(stored: StoredRequest, tenantId: string, names: readonly string[]): boolean {
  const { approved, first, vouch, request } = stored
  const tenants = [approved?.tenant.id, first?.tenantId, vouch?.tenantId].filter((id) => id !== undefined)
  return (
    tenants.includes(tenantId) || (tenants.length === 0 && names.includes(request.suggestedWorkspace ?? ''))
  )
}
