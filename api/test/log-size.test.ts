import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Query } from '../src/storage/base/queries.ts'
import { type DatabaseKind, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { fetchValues, grant, newMachine } from './machine-client.ts'

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
const DOCUMENTED: Record<DatabaseKind, RegExp> = {
  postgres: /(\d+) bytes\s+on\s+PostgreSQL/,
  sqlite: /(\d+) bytes\s+on\s+SQLite/,
}

/** Entries of a day: changes of a library, and what a machine with ten values fetches. */
async function fill(api: TestApi): Promise<void> {
  const owner = await api.newOwner()
  const names = Array.from({ length: 10 }, (_, index) => [`NAME_OF_A_VARIABLE_${index}`, 'value'] as const)
  const bundle = await newBundle(api, owner, Object.fromEntries(names))
  const machine = await newMachine(api, owner)
  await grant(api, owner, { machine, bundle })
  for (let call = 0; call < 30; call++) await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
}

const COPIES = 400

// Each copy is of another tenant, as if as many workspaces had this day.
async function copy(query: Query): Promise<number> {
  const counted = `with recursive counted (number) as (select 1 union all select number + 1 from counted where number < ${COPIES})`
  const { numAffectedRows } = await sql`${sql.raw(counted)} insert into audit_log
    select number || substr(tenant_id, 5), seq, hash, body, origin, at, action, actor_id, target_id
    from counted, audit_log order by number, seq`.execute(query)
  return Number(numAffectedRows)
}

test.each(oneDatabase)(
  'an entry of the audit log takes what the documentation says, with its indexes, on %s',
  async (kind) => {
    const api = await startTestApi(kind)
    await fill(api)
    const { settings } = api
    const file = join(settings.dataDir, 'keyferry.db')
    const database = await openDatabase(settings.databaseUrl ?? file)
    const events = () => database.query.selectFrom('events').select('position').execute()
    await expect.poll(events).toEqual([])
    await api.close()
    const sizeOf = async () => {
      if (kind === 'sqlite') {
        await sql`pragma wal_checkpoint(truncate)`.execute(database.query)
        return statSync(file).size
      }
      const { rows } = await sql<{
        size: string
      }>`select pg_total_relation_size('audit_log') as size`.execute(database.query)
      return Number(rows[0]?.size)
    }
    const before = await sizeOf()
    const entries = await copy(database.query)
    const bytes = ((await sizeOf()) - before) / entries
    await database.close()
    const [, documented] = DOCUMENTED[kind].exec(OPERATIONS) ?? []
    expect(Math.abs(bytes / Number(documented) - 1)).toBeLessThan(0.1)
  },
)
