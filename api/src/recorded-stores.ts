import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import type { Logger } from 'pino'
import type { ClockSteps } from './clock-steps.ts'
import type { Bounds } from './domain/base/bounds.ts'
import { type ClockAndIds, timestamp } from './domain/base/clock-and-ids.ts'
import type { Stores } from './domain/stores.ts'
import { afterAppendOf } from './joined-modules.ts'
import { auditKeyIn, ringOf } from './maintenance.ts'
import type { ApiSettings } from './settings.ts'
import type { ShortLived } from './short-lived.ts'
import { ChainWriter } from './storage/audit/chain-writer.ts'
import type { Database, Queries } from './storage/base/queries.ts'
import { recording } from './storage/base/recording.ts'
import type { LibraryParts } from './storage/joined-stores.ts'
import { beginDepositKeys } from './storage/keys-at-rest/deposit-keys.ts'
import { type KnownReceiptKey, openReceiptKeys } from './storage/keys-at-rest/receipt-keys.ts'
import { keepDays } from './storage/maintenance/retention.ts'
import { createStores, type StoresWithin } from './storage/stores.ts'

type StoreParts = {
  settings: ApiSettings
  database: Database
  aroundDatabase?: ((database: Database) => Database) | undefined
  shortLived: Pick<ShortLived, 'changes'>
  steps: FailingSteps
  clockSteps: Pick<ClockSteps, 'isAhead'>
  clock: ClockAndIds
  log: Logger
}

type RecordedStores = {
  stores: Stores
  storesWithin: StoresWithin
  library: LibraryParts
  queries: Queries
  chainWriter: ChainWriter
  receiptKeys: readonly KnownReceiptKey[]
  ring: RootKeyRing
}

/** The stores over a database whose writes are recorded in the audit log. Until `opened` ends, a chain writer signs the
 * log, and entries past their time are removed. */
export async function openStores(
  opened: AsyncDisposableStack,
  { settings, database, aroundDatabase, shortLived, steps, clockSteps, clock, log }: StoreParts,
): Promise<RecordedStores> {
  const [ring, now] = [ringOf(settings), timestamp(clock)]
  const auditKey = await auditKeyIn(database, settings, now)
  const receiptKeys = await openReceiptKeys(database, { ring, now })
  await beginDepositKeys(database, { ring, now })
  const afterAppend = afterAppendOf({ database, settings })
  const writing = { database, key: auditKey, afterAppend, now: clock.now, steps, log }
  const chainWriter = opened.adopt(new ChainWriter(writing), (it) => it.close())
  const queries = recording(aroundDatabase?.(database) ?? database, auditKey, {
    wake: (tenantIds) => chainWriter.wake(tenantIds),
    valuesChanged: (tenantIds) => shortLived.changes.notify(tenantIds),
    isFull: (tenantId) => chainWriter.isFull(tenantId),
  })
  keepDays(opened, { queries, days: settings.retentionDays, now: clock.now, ...clockSteps, steps, log })
  return {
    queries,
    ...createStores(queries, { ring, auditKey, bounds: boundsOf(settings) }),
    chainWriter,
    receiptKeys,
    ring,
  }
}

function boundsOf(settings: ApiSettings): Bounds {
  const {
    approvalAssurance: assurance,
    maxBundleEntries,
    maxTenantBytes,
    maxWorkspacesPerPerson,
    versionsKept,
  } = settings
  return {
    assurance,
    bundleEntries: maxBundleEntries,
    tenantBytes: maxTenantBytes,
    workspacesPerPerson: maxWorkspacesPerPerson,
    versionsKept,
  }
}
