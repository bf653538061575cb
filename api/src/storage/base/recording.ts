import { eventMac, originHash } from '@keyferry/crypto/audit-chain'
import type { AuditKey } from '@keyferry/crypto/audit-key'
import { randomId } from '@keyferry/crypto/token'
import type { Insertable } from 'kysely'
import { unavailable } from '../../domain/base/errors.ts'
import { changesValues, type Event, eventBody } from '../../domain/base/event.ts'
import { originText } from '../../domain/base/origin.ts'
import type { Queries } from './queries.ts'
import type { Tables } from './tables.ts'

/** What seals the outbox. */
type AfterCommit = {
  /** Called after a commit, with the tenants that have new events. */
  wake: (tenantIds: ReadonlySet<string>) => void
  /** Called after a commit, with the tenants of which a bundle may deliver other values now. */
  valuesChanged: (tenantIds: ReadonlySet<string>) => void
  /** Whether a tenant has too many unsealed events to make more. */
  isFull: (tenantId: string) => boolean
}

const NOTHING_AFTER: AfterCommit = { wake: () => {}, valuesChanged: () => {}, isFull: () => false }

/** What a transaction has recorded so far. `changed`: the tenants whose bundles may deliver other values after it. */
type Recorded = { rows: EventRow[]; changed: Set<string> }

type EventRow = Insertable<Tables['events']>

/** The queries of a database with the door through which events enter the outbox. The events of a transaction are
 * inserted together, right before its commit. `after` learns for which tenants it recorded some. */
export function recording(
  database: Omit<Queries, 'record'>,
  { mac: key }: Pick<AuditKey, 'mac'>,
  after: AfterCommit = NOTHING_AFTER,
): Queries {
  const { insertAll } = database
  const recorded = new WeakMap<object, Recorded>()
  return {
    ...database,
    async write(change) {
      const rows: EventRow[] = []
      const changed = new Set<string>()
      const result = await database.write(async (transaction) => {
        recorded.set(transaction, { rows, changed })
        const made = await change(transaction)
        await insertAll(transaction, 'events', rows)
        return made
      })
      if (rows.length > 0) after.wake(new Set(rows.map(({ tenant_id }) => tenant_id)))
      if (changed.size > 0) after.valuesChanged(changed)
      return result
    },
    async record(transaction, event) {
      if (after.isFull(event.tenantId)) throw unavailable('audit log')
      const row = eventRow(event, key)
      const noted = recorded.get(transaction)
      noted?.rows.push(row)
      if (noted && changesValues(event)) noted.changed.add(event.tenantId)
      if (!noted) await insertAll(transaction, 'events', [row])
    },
  }
}

function eventRow(event: Event, key: AuditKey['mac']): EventRow {
  const { tenantId, at } = event
  const origin = originText(event.origin, randomId())
  const personal = origin === null ? null : originHash(origin)
  const body = eventBody(event, { id: randomId(), personal })
  return { tenant_id: tenantId, body, origin, mac: eventMac({ tenantId, body, origin }, key), created_at: at }
}
