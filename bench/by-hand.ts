import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { randomId } from '@keyferry/crypto/token'
import { encryptValue } from '@keyferry/crypto/value-cipher'
import { Client } from 'pg'
import { temporaryFolder } from './contenders.ts'
import { growLibrary } from './grown-library.ts'

const COLUMNS =
  'id, tenant_id, name, value, value_version, is_secret, description, created_by, created_at, updated_at, updated_by, value_set_at, value_set_by, value_how, value_was_secret'
const COUNT = COLUMNS.split(',').length
/** Writes keys to a library without the API: each encrypted, one prepared `insert` each, all in one transaction. */
export type HandWriter = {
  write(names: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** @param databaseUrl an empty PostgreSQL database; a fresh SQLite file when undefined */
export async function handWriter(databaseUrl: string | undefined): Promise<HandWriter> {
  const dataDir = temporaryFolder()
  const rootKey = formatRootKey(generateRootKey())
  const size = { tenants: 1, keysEach: 500, bundlesEach: 1 }
  const place = { databaseUrl: databaseUrl ?? null, dataDir, rootKey }
  const [sample] = await growLibrary(place, size)
  if (!sample) throw new Error('no tenant to write for')
  const rowOf = rowsOf(sample)
  return databaseUrl === undefined
    ? onSqlite(join(dataDir, 'keyferry.db'), rowOf)
    : await onPostgres(databaseUrl, rowOf)
}

type RowOf = (name: string) => (string | number | Uint8Array)[]

function rowsOf({ tenantId, userId }: { tenantId: string; userId: string }): RowOf {
  const key = randomBytes(32)
  const now = new Date().toISOString()
  return (name) => {
    const id = randomId()
    const context = { tenantId, table: 'keys', rowId: id, column: 'value', version: 1, name, isSecret: true }
    const value = encryptValue(Plaintext.of(randomUUID()), key, context)
    return [id, tenantId, name, value, 1, 1, '', userId, now, now, userId, now, userId, 'set', 1]
  }
}

function insertion(placeholder: (index: number) => string): string {
  const places = Array.from({ length: COUNT }, (_, index) => placeholder(index))
  return `insert into keys (${COLUMNS}) values (${places.join(', ')})`
}

function onSqlite(path: string, rowOf: RowOf): HandWriter {
  const file = new DatabaseSync(path)
  file.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
  const insert = file.prepare(insertion(() => '?'))
  return {
    async write(names) {
      file.exec('begin immediate')
      for (const name of names) insert.run(...rowOf(name))
      file.exec('commit')
    },
    close: async () => file.close(),
  }
}

async function onPostgres(url: string, rowOf: RowOf): Promise<HandWriter> {
  const client = new Client(url)
  await client.connect()
  const text = insertion((index) => `$${index + 1}`)
  return {
    async write(names) {
      await client.query('begin')
      for (const name of names) await client.query({ name: 'insert', text, values: rowOf(name) })
      await client.query('commit')
    },
    close: () => client.end(),
  }
}
