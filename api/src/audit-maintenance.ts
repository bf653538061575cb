import { openChainNote } from '@keyferry/crypto/chain-note'
import { checkExport, type ExportedChain } from '@keyferry/crypto/exported-chain'
import { verifierKey } from '@keyferry/crypto/signed-note'
import { madeByOperator } from './domain/base/event.ts'
import {
  auditKeyIn,
  type DatabaseSettings,
  emptyDatabaseLog,
  withDatabase,
  withRecording,
} from './maintenance.ts'
import { acceptRows } from './storage/audit/accepted-rows.ts'
import { wholeLog } from './storage/audit/audit-export.ts'
import { type Forgotten, forgetPerson } from './storage/audit/audit-forgetting.ts'
import { type Pruned, PruneRefused, pruneExported } from './storage/audit/audit-pruning.ts'
import { type AuditVerdict, verifyAuditLogs } from './storage/audit/audit-verification.ts'
import { knownVersions } from './storage/audit/known-versions.ts'
import type { NamedAuditKey } from './storage/keys-at-rest/audit-keys.ts'
import { type ForeignRow, foreignRows } from './storage/keys-at-rest/missing-macs.ts'
import type { MacWrite } from './storage/row-macs/row-macs.ts'

export type { ForeignRow, Forgotten, MacWrite, Pruned }

/** Check the audit log of every tenant, or of one.
 * @throws Error: this tenant has no log */
export async function verifyAudit(
  settings: DatabaseSettings,
  tenantId: string | null = null,
): Promise<AuditVerdict[]> {
  return withDatabase(settings, async (database) => {
    const key = await auditKeyIn(database, settings, new Date().toISOString())
    const verdicts = await verifyAuditLogs(database.query, key, tenantId)
    if (tenantId !== null && verdicts.length === 0)
      throw new Error(`no workspace ${tenantId} has an audit log`)
    return verdicts
  })
}

/** Find each row that gives a right and that no server wrote, or that was put back. */
export async function findForeignRows(settings: DatabaseSettings): Promise<ForeignRow[]> {
  return withDatabase(settings, async ({ query, rowMacs }) =>
    // The log first: what a server writes after it is newer.
    foreignRows(query, { rowMacs, known: await knownVersions(query) }),
  )
}

/** Let these rows count as they are, and record it.
 * @returns the rows */
export async function acceptForeignRows(settings: DatabaseSettings): Promise<MacWrite[]> {
  return withRecording(settings, (queries, { rowMacs, now }) => acceptRows(queries, { rowMacs, now }))
}

/** The key that verifies the notes of this server's audit logs, as C2SP writes it. */
export async function auditVerifierKey(settings: DatabaseSettings): Promise<string> {
  return withDatabase(settings, async (database) =>
    verifierKey(await auditKeyIn(database, settings, new Date().toISOString())),
  )
}

/** The lines of an export of one tenant's whole audit log, each passed to `write` as it is read. */
export async function exportAudit(
  settings: DatabaseSettings,
  tenantId: string,
  write: (lines: string) => void,
): Promise<void> {
  await withDatabase(settings, async (database) => {
    const key = await auditKeyIn(database, settings, new Date().toISOString())
    for await (const lines of wholeLog(database.query, { tenantId, key })) write(lines)
  })
}

/** Delete the entries of the whole days that an export contains, after checking it.
 * @param chunks the export's text
 * @throws BrokenExport · PruneRefused; then nothing was deleted */
export async function pruneAudit(
  settings: DatabaseSettings,
  chunks: AsyncIterable<string>,
): Promise<Pruned & { tenantId: string }> {
  const chain = await checkExport(chunks)
  return withRecording(settings, async ({ write }, { auditKey, now }) => {
    const tenantId = tenantOf(chain, auditKey)
    const pruning = { tenantId, chain, made: madeByOperator(now) }
    const pruned = await write((transaction) => pruneExported(transaction, pruning))
    return { ...pruned, tenantId }
  })
}

// Whose log an export is of, by its signed note.
function tenantOf(chain: ExportedChain, key: NamedAuditKey): string {
  const text = chain.notes.at(-1)
  if (text === undefined) throw new PruneRefused('the export has no note: export the log again')
  const note = openChainNote(text, verifierKey(key))
  if (chain.judge(note).kind === 'differs')
    throw new PruneRefused('the export is not the log that its note signs')
  return note.origin.slice(`${key.name}/`.length)
}

/** Erase what may identify a person from all audit logs and deliveries.
 * @param who a user's id or e-mail address
 * @returns null when no user has it */
export async function forgetInAudit(settings: DatabaseSettings, who: string): Promise<Forgotten | null> {
  const forgotten = await withRecording(settings, (queries, { auditKey, now }) =>
    forgetPerson(queries, { who, now, mac: auditKey.mac }),
  )
  await emptyDatabaseLog(settings)
  return forgotten
}
