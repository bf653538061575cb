import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import type { Gauges } from '@keyferry/plumbing/metrics'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import { moduleGauges } from './joined-modules.ts'
import type { Requesting } from './requesting.ts'
import type { ShortLived } from './short-lived.ts'
import type { ChainWriter } from './storage/audit/chain-writer.ts'
import type { Database } from './storage/base/queries.ts'
import { readBacklog } from './storage/maintenance/backlog.ts'

export type Measured = {
  database: Database
  shortLived: ShortLived
  requesting: Pick<Requesting, 'requests'>
  chainWriter: ChainWriter
  steps: FailingSteps
  clock: ClockAndIds
}

/** What `/metrics` shows of a node beside its calls. */
export function gaugesOf({ database, shortLived, requesting, chainWriter, steps, clock }: Measured): Gauges {
  const { room, changeRoom } = shortLived
  const { requests } = requesting
  const { usage } = database
  const backlog = shared(() => readBacklog(database))
  const ageSeconds = (of: 'oldest' | 'rootKey' | 'receiptKey' | 'depositKey') => async () => {
    const made = (await backlog())[of]
    return made === null ? 0 : Math.max(0, clock.now().getTime() - Date.parse(made)) / 1_000
  }
  return {
    // Read before the others use connections.
    ...(usage && {
      keyferry_database_connections: {
        help: 'Connections of this node to PostgreSQL',
        read: () => usage().connections,
      },
      keyferry_database_waiting: {
        help: 'Calls of this node that wait for a connection to PostgreSQL',
        read: () => usage().waiting,
      },
    }),
    keyferry_held_calls: { help: 'Calls that wait for an approval', read: () => room.size + changeRoom.size },
    keyferry_audit_problems: {
      help: 'Problems of the audit log, which /readyz names as warnings',
      read: () => chainWriter.problems.length,
    },
    keyferry_failing_steps: {
      help: 'Steps in the background whose last run failed, which /readyz names as warnings',
      read: () => steps.names.length,
    },
    keyferry_outbox_events: {
      help: 'Events that are not in the audit log yet, of all nodes',
      read: async () => (await backlog()).events,
    },
    keyferry_outbox_age_seconds: {
      help: 'Age of the oldest event that is not in the audit log yet; 0: there is none',
      read: ageSeconds('oldest'),
    },
    ...moduleGauges(database),
    keyferry_migrations: {
      help: 'Migrations that the database has',
      read: async () => (await backlog()).migrations,
    },
    keyferry_root_key_age_seconds: { help: 'Age of the newest root key', read: ageSeconds('rootKey') },
    keyferry_receipt_key_age_seconds: {
      help: 'Age of the newest key that signs receipts',
      read: ageSeconds('receiptKey'),
    },
    keyferry_deposit_key_age_seconds: {
      help: 'Age of the newest key that clients seal deposits to',
      read: ageSeconds('depositKey'),
    },
    keyferry_request_store_seconds: {
      help: 'How long the request store took to answer',
      read: () => secondsOf(() => requests.ping()),
    },
  }
}

// The gauges of one collection share one statement.
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= read().finally(() => {
      running = null
    })
    return running
  }
}

async function secondsOf(step: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await step()
  return (performance.now() - from) / 1_000
}
