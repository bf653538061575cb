import { chmodSync, closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { appliedMigrations } from '../base/migration-check.ts'
import { SQLITE_TABLE_COLUMNS } from '../base/sqlite.ts'
import { proofsOpen } from '../keys-at-rest/root-keys.ts'

const BUSY_TIMEOUT_MS = 30_000

/** Copy the database at `path` into the new file `file`: one moment of it, while others write.
 * @throws Error when `file` exists */
export async function backupEmbedded(path: string, file: string): Promise<void> {
  if (!existsSync(path)) throw new Error(`there is no database at ${path}`)
  makeNew(file)
  try {
    await copyDatabase(path, file)
    makeOneFile(file)
    requireSound(file)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}

/** Put the content of `file` in the place of that of the database at `path`, in one transaction.
 * @returns where the former content is kept, null when there was none
 * @throws Error when `file` is no backup, or not one that this build carries over, or the root keys do not open it;
 *   then nothing has changed */
export async function restoreEmbedded(
  path: string,
  { file, ring }: { file: string; ring: RootKeyRing },
): Promise<string | null> {
  requireSound(file)
  await requireCarriedOver(file)
  requireOpening(file, ring)
  const kept = existsSync(path) ? keptPlace(path) : null
  if (kept === null) closeSync(openSync(path, 'wx', 0o600))
  else await backupEmbedded(path, kept)
  await copyDatabase(file, path)
  return kept
}

function makeNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    if (code === 'EEXIST') throw new Error(`${file} exists already: name a new file`, { cause })
    throw new Error(`${file} cannot be written (${code})`, { cause })
  }
}

function keptPlace(path: string): string {
  for (let count = 1; ; count += 1) {
    const place = `${path}.before-restore-${count}`
    if (!existsSync(place)) return place
  }
}

async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  await backup(source, to, { rate: 1_000 })
  chmodSync(to, 0o600)
}

// The copy is in write-ahead-log mode like its original: reading it would leave two more files beside it. It contains
// no open request: what a person approved minutes ago must not be collected from a restored database.
function makeOneFile(file: string): void {
  using database = new DatabaseSync(file)
  database.exec('pragma secure_delete = on; delete from requests; delete from requests_epoch')
  database.exec('pragma journal_mode = delete')
}

function requireSound(file: string): void {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  using database = new DatabaseSync(file, { readOnly: true })
  try {
    const [row] = database.prepare('pragma integrity_check').all()
    if (row?.['integrity_check'] !== 'ok') throw new Error('it is damaged')
    database.prepare('select name from migrations limit 1').get()
  } catch (cause) {
    throw new Error(`${file} is not a backup of this service`, { cause })
  }
}

async function requireCarriedOver(file: string): Promise<void> {
  using database = new DatabaseSync(file, { readOnly: true })
  const columns = database.prepare(SQLITE_TABLE_COLUMNS).all()
  const journal = async () => database.prepare('select name, hash from migrations').all()
  await appliedMigrations({ columns, journal })
}

function requireOpening(file: string, ring: RootKeyRing): void {
  using database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare('select proof from root_keys').all()
  const proofs = rows.map(({ proof }) => ({ proof: proof instanceof Uint8Array ? proof : new Uint8Array() }))
  if (!proofsOpen(proofs, ring))
    throw new Error(`ROOT_KEY does not open ${file}: it was made with another root key`)
}
