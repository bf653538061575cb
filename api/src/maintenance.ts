import { join } from 'node:path'
import { parseRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import type { ApiSettings } from './settings.ts'
import { beginEpochs } from './storage/audit/audit-epochs.ts'
import { type Verification, verifyStoredValues } from './storage/audit/verification.ts'
import { openDatabase } from './storage/base/database.ts'
import { migrateDatabase } from './storage/base/migrate.ts'
import type { Database, Queries } from './storage/base/queries.ts'
import { recording } from './storage/base/recording.ts'
import { type NamedAuditKey, openAuditKey } from './storage/keys-at-rest/audit-keys.ts'
import { rotateDepositKey } from './storage/keys-at-rest/deposit-keys.ts'
import { rotateReceiptKey } from './storage/keys-at-rest/receipt-keys.ts'
import { proveRootKeys } from './storage/keys-at-rest/root-keys.ts'
import { backupEmbedded, restoreEmbedded } from './storage/maintenance/embedded-backup.ts'
import { type KeyRotation, rewrapTenantKeys } from './storage/maintenance/rotation.ts'
import { rotateTenantKeys } from './storage/maintenance/tenant-key-rotation.ts'
import { emptyLog } from './storage/maintenance/write-ahead-log.ts'
import type { RowMacs } from './storage/row-macs/row-macs.ts'

export type { KeyRotation, Verification }

export type DatabaseSettings = Pick<ApiSettings, 'databaseUrl' | 'dataDir' | 'rootKeys' | 'publicHost'> &
  Partial<Pick<ApiSettings, 'databaseConnections'>>

/** Open the database of the settings, migrate it, and check the root keys.
 * @throws Error with one line for the operator */
export async function readyDatabase(settings: DatabaseSettings, now: string): Promise<Database> {
  const place = () => databasePlace(settings)
  const database = await openDatabase(place(), settings.databaseConnections, place)
  try {
    await migrateDatabase(database, now)
    await proveRootKeys(database, ringOf(settings), now)
    await auditKeyIn(database, settings, now)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Use other root keys from now on, if they open the database.
 * @throws Error with one line for the operator */
export async function useRootKeys(
  { database, ring }: { database: Database; ring: RootKeyRing },
  settings: Pick<ApiSettings, 'rootKeys'>,
  now: string,
): Promise<void> {
  await proveRootKeys(database, ringOf(settings), now)
  ring.replace(settings.rootKeys.map(parseRootKey))
}

/** The audit key of a database, made at the first start. */
export function auditKeyIn(
  database: Database,
  settings: DatabaseSettings,
  now: string,
): Promise<NamedAuditKey> {
  return openAuditKey(database, { ring: ringOf(settings), name: `${settings.publicHost}/audit`, now })
}

export function ringOf({ rootKeys }: Pick<ApiSettings, 'rootKeys'>): RootKeyRing {
  return new RootKeyRing(rootKeys.map(parseRootKey))
}

/** Migrate the database and do nothing else.
 * @returns the names of the migrations that ran */
export async function migrate(
  settings: Omit<DatabaseSettings, 'rootKeys' | 'publicHost'>,
): Promise<readonly string[]> {
  const database = await openDatabase(databasePlace(settings))
  try {
    return await migrateDatabase(database, new Date().toISOString())
  } finally {
    await database.close()
  }
}

/** Wrap every tenant's key with the first of the root keys and forget the others. You can stop it and run it again at
 * any time, also while servers with the same keys run.
 * @throws Error when a root key in use is not among the settings' */
export async function rotateRootKey(settings: DatabaseSettings): Promise<KeyRotation> {
  return withDatabase(settings, (database) => rewrapTenantKeys(database, ringOf(settings)))
}

/** Give a tenant, or all of them, a new key, encrypt their values with it, and delete the old one. You can stop it and
 * run it again at any time, also while servers run.
 * @throws Error: no tenant has this id */
export async function rotateTenantKey(
  settings: DatabaseSettings,
  { tenantId, ...options }: { tenantId: string | null; settleMs?: number },
): Promise<{ tenants: number; values: number }> {
  const rotated = await withDatabase(settings, (database) =>
    rotateTenantKeys(database, { ...options, tenantId, ring: ringOf(settings) }),
  )
  if (tenantId !== null && rotated.tenants === 0) throw new Error(`no workspace has the id ${tenantId}`)
  await emptyDatabaseLog(settings)
  return rotated
}

/** Make a new key that signs receipts; the one in use endorses it. Servers sign with it after their next start.
 * @returns the new key's id */
export async function makeReceiptKey(settings: DatabaseSettings): Promise<string> {
  return withDatabase(settings, (database) =>
    rotateReceiptKey(database, { ring: ringOf(settings), now: new Date().toISOString() }),
  )
}

/** Make a new key that clients seal deposits to. Servers use it at once.
 * @returns the new key's id */
export async function makeDepositKey(settings: DatabaseSettings): Promise<string> {
  return withDatabase(settings, (database) =>
    rotateDepositKey(database, { ring: ringOf(settings), now: new Date().toISOString() }),
  )
}

/** Decrypt every stored value and report those that fail. No value is kept. */
export async function verifyValues(settings: DatabaseSettings): Promise<Verification> {
  return withDatabase(settings, (database) => verifyStoredValues(database, ringOf(settings)))
}

/** Copy the embedded database into a new file of mode 0600, while servers may write to it. The copy contains no root
 * key, and it is useless without one.
 * @throws Error when the file exists, or the database is not the embedded one */
export async function backupDatabase(settings: DatabaseSettings, file: string): Promise<void> {
  await backupEmbedded(embeddedPlace(settings, 'back it up with pg_dump'), file)
}

/** Replace the embedded database by a backup, all or nothing. The old database is kept beside it.
 * @returns the path of the old database; null when there was none
 * @throws Error when the file is no backup of this service or needs another root key; then nothing has changed */
export async function restoreDatabase(settings: DatabaseSettings, file: string): Promise<string | null> {
  const place = embeddedPlace(settings, 'restore it with pg_restore, then run audit-restored')
  const kept = await restoreEmbedded(place, { file, ring: ringOf(settings) })
  await recordRestore(settings, 'backup restored')
  return kept
}

/** Record that the database went back, as after a restored backup, so that servers append again.
 * @returns how many logs began a new epoch */
export async function recordRestore(settings: DatabaseSettings, reason: string): Promise<number> {
  return withRecording(settings, (queries, { now }) => beginEpochs(queries, { reason, now }))
}

type Recording = { auditKey: NamedAuditKey; rowMacs: RowMacs; now: string }

/** Open the database of the settings for work that records events. A server appends them when it runs. */
export async function withRecording<T>(
  settings: DatabaseSettings,
  work: (queries: Queries, recording: Recording) => Promise<T>,
): Promise<T> {
  return withDatabase(settings, async (database) => {
    const now = new Date().toISOString()
    const auditKey = await auditKeyIn(database, settings, now)
    return work(recording(database, auditKey), { auditKey, rowMacs: database.rowMacs, now })
  })
}

/** Open the database of the settings for one piece of work. */
export async function withDatabase<T>(
  settings: DatabaseSettings,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await readyDatabase(settings, new Date().toISOString())
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Leave nothing that was deleted in the write-ahead log of the embedded database.
 * @throws Error with one line for the operator */
export async function emptyDatabaseLog(
  settings: Pick<DatabaseSettings, 'databaseUrl' | 'dataDir'>,
): Promise<void> {
  if (settings.databaseUrl === null) await emptyLog(databasePlace(settings))
}

function databasePlace({ databaseUrl, dataDir }: Pick<ApiSettings, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl ?? join(dataDir, 'keyferry.db')
}

function embeddedPlace(settings: DatabaseSettings, instead: string): string {
  if (settings.databaseUrl !== null) throw new Error(`the database is not the embedded one: ${instead}`)
  return databasePlace(settings)
}
