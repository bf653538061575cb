import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Indexes } from './migrations.ts'
import { unlessLocked } from './postgres-migration.ts'
import type { Connections } from './postgres-pool.ts'
import type { Query } from './queries.ts'
import { statementLimit } from './statement-names.ts'

/*
 * `concurrently` reads a table twice instead of once, and others write meanwhile. It runs in no transaction, and waits
 * for every transaction that began before. So nobody may wait for a turn in a statement: the builder would wait for it.
 * A process that was killed leaves an index that is not valid, and the server may still work on it.
 */

const BUILD_LOCK = 5_394
const PAUSE_MS = 500
const WITHOUT_LIMIT = "set statement_timeout = 0; set lock_timeout = '1min'"
const withLimit = () => `set statement_timeout = ${statementLimit()}; reset lock_timeout`

/** Two connections without a time limit. */
export type Untimed = { query: Query; connections: Connections }

type State = { name: string; isValid: boolean; isWorkedOn: boolean }

export async function isBuilt(query: Query, indexes: Indexes): Promise<boolean> {
  return missingSteps(indexes, await statesOf(query, indexes)).length === 0
}

/** Build what is missing, unless another process does. */
export function buildIndexes({ query, connections }: Untimed, indexes: Indexes): Promise<void> {
  return unlessLocked(() =>
    query.transaction().execute(async (transaction) => {
      const isOurs = await lockBuilding(transaction)
      const states = await statesOf(transaction, indexes)
      if (!isOurs || states.some(({ isWorkedOn }) => isWorkedOn)) return await sleep(PAUSE_MS)
      for (const step of missingSteps(indexes, states)) await runUntimed(connections, step)
    }),
  )
}

// Until the transaction ends, which no builder waits for: between two statements it has no snapshot.
async function lockBuilding(transaction: Query): Promise<boolean> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(BUILD_LOCK)}) as "isOurs"`.execute(transaction)
  return rows[0]?.isOurs === true
}

// Without a parameter: the portal of a statement that has one keeps its snapshot until the transaction ends.
async function statesOf(query: Query, { made, dropped }: Indexes): Promise<readonly State[]> {
  const names = sql.join([...Object.keys(made), ...dropped].map((name) => sql.lit(name)))
  const { rows } = await sql<State>`
    select relname as name, indisvalid as "isValid",
      exists (select from pg_stat_progress_create_index where index_relid = indexrelid) as "isWorkedOn"
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relname in (${names}) and pg_table_is_visible(indexrelid)`.execute(query)
  return rows
}

function missingSteps({ made, dropped }: Indexes, states: readonly State[]): readonly string[] {
  const valid = new Set(states.filter(({ isValid }) => isValid).map(({ name }) => name))
  const there = new Set(states.map(({ name }) => name))
  const unmade = Object.entries(made).filter(([name]) => !valid.has(name))
  return [
    ...unmade.flatMap(([name, rows]) => [
      `drop index concurrently if exists ${name}`,
      `create index concurrently if not exists ${name} on ${rows}`,
    ]),
    ...dropped.filter((name) => there.has(name)).map((name) => `drop index concurrently if exists ${name}`),
  ]
}

// Sent together, so a pooler that shares connections runs them on the same one.
async function runUntimed(connections: Connections, statement: string): Promise<void> {
  const client = await connections.connect()
  const texts = [WITHOUT_LIMIT, statement, withLimit()]
  const [, answer] = await Promise.allSettled(texts.map((text) => client.query(text)))
  client.release()
  if (answer?.status === 'rejected') throw answer.reason
}
