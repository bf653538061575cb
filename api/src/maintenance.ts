import { join } from 'node:path'
import { hashPassword } from '@keyferry/crypto/password'
import { parseRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { verifierKey } from '@keyferry/crypto/signed-note'
import { randomToken } from '@keyferry/crypto/token'
import type { ApiSettings } from './settings.ts'
import { resetAccountPassword } from './storage/accounts.ts'
import { exportLines } from './storage/audit-export.ts'
import { type NamedAuditKey, openAuditKey } from './storage/audit-keys.ts'
import { type AuditVerdict, verifyAuditLogs } from './storage/audit-verification.ts'
import { openDatabase } from './storage/database.ts'
import { backupEmbedded, restoreEmbedded } from './storage/embedded-backup.ts'
import { migrateDatabase } from './storage/migrate.ts'
import type { Database } from './storage/queries.ts'
import { proveRootKeys } from './storage/root-keys.ts'
import { type Rotation, rotateTenantKeys } from './storage/rotation.ts'
import { type Verification, verifyStoredValues } from './storage/verification.ts'

export type { Rotation, Verification }

export type DatabaseSettings = Pick<ApiSettings, 'databaseUrl' | 'dataDir' | 'rootKeys' | 'publicHost'>

/** Open the database of the settings, migrate it, and check the root keys.
 * @throws Error with one line for the operator */
export async function readyDatabase(settings: DatabaseSettings, now: string): Promise<Database> {
  const database = await openDatabase(databasePlace(settings))
  try {
    await migrateDatabase(database, now)
    await proveRootKeys(database, ringOf(settings), now)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
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
export async function rotateRootKey(settings: DatabaseSettings): Promise<Rotation> {
  return withDatabase(settings, (database) => rotateTenantKeys(database, ringOf(settings)))
}

/** Decrypt every stored value and report those that fail. No value is kept. */
export async function verifyValues(settings: DatabaseSettings): Promise<Verification> {
  return withDatabase(settings, ({ query }) => verifyStoredValues(query, ringOf(settings)))
}

/** Check the audit log of every tenant. */
export async function verifyAudit(settings: DatabaseSettings): Promise<AuditVerdict[]> {
  return withDatabase(settings, async (database) => {
    const key = await auditKeyIn(database, settings, new Date().toISOString())
    return verifyAuditLogs(database.query, key)
  })
}

/** The key that verifies the notes of this server's audit logs, as C2SP writes it. */
export async function auditVerifierKey(settings: DatabaseSettings): Promise<string> {
  return withDatabase(settings, async (database) =>
    verifierKey(await auditKeyIn(database, settings, new Date().toISOString())),
  )
}

/** The lines of an export of one tenant's audit log, each passed to `write` as it is read. */
export async function exportAudit(
  settings: DatabaseSettings,
  tenantId: string,
  write: (lines: string) => void,
): Promise<void> {
  await withDatabase(settings, async ({ query }) => {
    const range = { from: 1, to: Number.MAX_SAFE_INTEGER }
    for await (const lines of exportLines(query, tenantId, range)) write(lines)
  })
}

/** Copy the embedded database into a new file of mode 0600, while servers may write to it. The copy holds no root key,
 * and it is useless without one.
 * @throws Error when the file exists, or the database is not the embedded one */
export async function backupDatabase(settings: DatabaseSettings, file: string): Promise<void> {
  await backupEmbedded(embeddedPlace(settings, 'back it up with pg_dump'), file)
}

/** Replace the embedded database by a backup, all or nothing. The old database is kept beside it.
 * @returns the path of the old database; null when there was none
 * @throws Error when the file is no backup of this service or needs another root key; then nothing has changed */
export async function restoreDatabase(settings: DatabaseSettings, file: string): Promise<string | null> {
  return restoreEmbedded(embeddedPlace(settings, 'restore it with pg_restore'), {
    file,
    ring: ringOf(settings),
  })
}

export type ResetPassword = { password: string; userId: string }

/** Give a local account a new password, which its owner has to replace at the next sign-in, and remove its passkeys. Only
 * the password's hash is stored.
 * @returns null when there is no account of this e-mail */
export async function resetPassword(
  settings: DatabaseSettings,
  email: string,
): Promise<ResetPassword | null> {
  const password = randomToken()
  const passwordHash = await hashPassword(password)
  return withDatabase(settings, async ({ write }) => {
    const now = new Date().toISOString()
    const userId = await write((transaction) =>
      resetAccountPassword(transaction, { email, passwordHash, now }),
    )
    return userId === null ? null : { password, userId }
  })
}

async function withDatabase<T>(
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

function databasePlace({ databaseUrl, dataDir }: Pick<ApiSettings, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl ?? join(dataDir, 'keyferry.db')
}

function embeddedPlace(settings: DatabaseSettings, instead: string): string {
  if (settings.databaseUrl !== null) throw new Error(`the database is not the embedded one: ${instead}`)
  return databasePlace(settings)
}
