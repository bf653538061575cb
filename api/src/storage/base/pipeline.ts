import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely'
import type { Query } from './queries.ts'

/*
 * A connection to PostgreSQL can send statements without waiting for the answers to earlier ones; the server still runs
 * them in their order. So a transaction waits for the network only where it needs an answer: `begin` travels with the
 * first statement, what is only sent travels with the next one, and the commit waits for all answers. A statement that
 * fails makes PostgreSQL refuse the rest of the transaction, its commit included.
 */

const unanswered = new WeakMap<DatabaseConnection, Promise<unknown>[]>()

const ended = new WeakSet<Query>()

/** Let no statement follow: its connection may be in another transaction by then. */
export function endTransaction(transaction: Query): void {
  ended.add(transaction)
}

function requireOngoing(transaction: Query): void {
  if (ended.has(transaction)) throw new Error('a query after the end of its transaction')
}

/** Run a statement of a transaction without waiting for its answer. PostgreSQL gets it at once, and if it fails, the
 * transaction fails at the commit. SQLite runs it here.
 * @param failure makes the error that the transaction fails with */
export async function send(
  transaction: Query,
  statement: Compilable | CompiledQuery,
  failure = (error: unknown): unknown => error,
): Promise<void> {
  const compiled = 'compile' in statement ? statement.compile() : statement
  requireOngoing(transaction)
  await transaction.getExecutor().provideConnection(async (connection) => {
    const answer = connection.executeQuery(compiled).catch((error: unknown) => {
      throw failure(error)
    })
    const answers = unanswered.get(connection)
    if (answers) answers.push(handled(answer))
    else await answer
  })
}

/** The rows of a statement. A transaction of the query layer sends a statement when the one before is answered, even if
 * several are awaited together; this sends it at once. Outside of a transaction nothing differs. */
export async function ask<Row>(
  query: Query,
  statement: Compilable<Row> | CompiledQuery<Row>,
): Promise<Row[]> {
  const compiled = 'compile' in statement ? statement.compile() : statement
  if (!query.isTransaction) return (await query.executeQuery(compiled)).rows
  requireOngoing(query)
  const asked = await query.getExecutor().provideConnection(async (connection) => {
    return { answer: connection.executeQuery<Row>(compiled) }
  })
  return (await asked.answer).rows
}

/** The first failure among the statements that a transaction sent so far; null when there is none. A statement after a
 * failed one is refused with an error that says nothing about the cause. */
export function sentFailure(transaction: Query): Promise<unknown> {
  return transaction.getExecutor().provideConnection(async (connection) => {
    const answers = unanswered.get(connection) ?? []
    return Promise.all(answers).then(
      () => null,
      (failure: unknown) => failure,
    )
  })
}

/** The driver of PostgreSQL for such connections. */
export class PipelinedDriver extends PostgresDriver {
  // `begin` fails only when the connection is lost, and then all that follows fails too.
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    unanswered.set(connection, [handled(super.beginTransaction(connection, settings))])
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const answers = unanswered.get(connection) ?? []
    await Promise.all([...answers, super.commitTransaction(connection)])
  }
}

// The commit throws its failure; until then it must not count as unhandled.
function handled(answer: Promise<unknown>): Promise<unknown> {
  answer.catch(() => {})
  return answer
}
