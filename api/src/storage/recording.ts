import { eventMac, originHash } from '@keyferry/crypto/audit-chain'
import type { AuditKey } from '@keyferry/crypto/audit-key'
import { randomId } from '@keyferry/crypto/token'
import { unavailable } from '../domain/errors.ts'
import { eventBody } from '../domain/event.ts'
import { originText } from '../domain/origin.ts'
import type { Database, Queries, Write } from './queries.ts'

/** What seals the outbox. */
type Spine = {
  /** Called after a commit, with the tenants that have new events. */
  wake: (tenantIds: ReadonlySet<string>) => void
  /** Whether a tenant has too many unsealed events to make more. */
  isFull: (tenantId: string) => boolean
}

const NO_SPINE: Spine = { wake: () => {}, isFull: () => false }

/** The queries of a database with the door through which events enter the outbox. The spine
 * learns for which tenants a transaction that has just been committed recorded events. */
export function recording(
  { query, prepare, write }: Pick<Database, 'query' | 'prepare' | 'write'>,
  { mac: key }: Pick<AuditKey, 'mac'>,
  spine: Spine = NO_SPINE,
): Queries {
  const recorded = new WeakMap<object, Set<string>>()
  return {
    query,
    prepare,
    write: noticing(write, recorded, spine),
    async record(transaction, event) {
      const { tenantId, at } = event
      if (spine.isFull(tenantId)) throw unavailable('audit log')
      const origin = originText(event.origin, randomId())
      const personal = origin === null ? null : originHash(origin)
      const body = eventBody(event, { id: randomId(), personal })
      const mac = eventMac({ tenantId, body, origin }, key)
      const row = { tenant_id: tenantId, body, origin, mac, created_at: at }
      await transaction.insertInto('events').values(row).execute()
      recorded.get(transaction)?.add(tenantId)
    },
  }
}

function noticing(write: Write, recorded: WeakMap<object, Set<string>>, spine: Spine): Write {
  return async (change) => {
    const tenantIds = new Set<string>()
    const result = await write((transaction) => {
      recorded.set(transaction, tenantIds)
      return change(transaction)
    })
    if (tenantIds.size > 0) spine.wake(tenantIds)
    return result
  }
}
