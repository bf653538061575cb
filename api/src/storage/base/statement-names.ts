import { digestOf } from '@keyferry/crypto/digest'
import { timeLimit } from '@keyferry/plumbing/time-limits'
import type { PoolClient, QueryResult } from 'pg'

/** Milliseconds that the database may work on one statement. */
const statementLimit = () => timeLimit(15_000)

const NAMED_TEXTS = 200
// Every call reads who the caller is, with all columns that MACs cover. That takes 2,100 characters.
const NAMED_TEXT = 8_000
const NAME_DIGITS = 40

// A plan that was made while a table was almost empty may read all rows of a tenant, and PostgreSQL keeps it until it
// analyzes the table, minutes later. So each connection plans again after some statements.
const PLANS_AGAIN_AFTER: ReadonlySet<number> = new Set([100, 1_000, 10_000])

/** Name the statements of a new connection: PostgreSQL parses and plans one with a name once. Texts that vary with the
 * number of values are too many to name. A pooler may give each transaction another connection, so there no statement
 * has a name. */
export function nameStatements(client: PoolClient): void {
  const query = client.query.bind(client)
  let statements = 0
  let isDirect = false
  const compare = ({ rows }: QueryResult): void => {
    isDirect = rows[0]?.pid === Reflect.get(client, 'processID')
  }
  // Sent before the first statement. The time limit is set here because a pooler refuses it as a start-up parameter.
  query(`select pg_backend_pid() as pid, set_config('statement_timeout', '${statementLimit()}', false)`)
    .then(compare)
    .catch(ignore)
  Object.assign(client, {
    query(...[text, values, ...rest]: unknown[]) {
      if (isDirect && PLANS_AGAIN_AFTER.has(++statements)) query('discard plans').catch(ignore)
      const isNamed = isDirect && typeof text === 'string' && Array.isArray(values) && values.length > 0
      const name = isNamed ? nameOf(text) : undefined
      const call = name === undefined ? [text, values] : [{ name, text, values }]
      const answer: unknown = Reflect.apply(query, client, [...call, ...rest])
      if (answer instanceof Promise)
        answer.catch((error) => (isReadOnly(error) ? client.end() : null)).catch(ignore)
      return answer
    },
  })
}

const names = new Map<string, string>()

// The name follows from the text: if two nodes share a connection after all, a name never means another statement.
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || text.length > NAMED_TEXT || names.size >= NAMED_TEXTS) return known
  const name = `keyferry_${digestOf(text).slice(0, NAME_DIGITS)}`
  names.set(text, name)
  return name
}

// After a failover, this connection leads to the old primary; a new one may reach the new primary.
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006'
}

function ignore(): void {}
