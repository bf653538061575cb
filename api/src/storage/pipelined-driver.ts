import { type CompiledQuery, type DatabaseConnection, PostgresDriver, type TransactionSettings } from 'kysely'
import type { Query } from './queries.ts'

/** The driver for connections that send statements without waiting for the answers to earlier ones. It saves two round
 * trips in each transaction: `begin` travels with the first statement, and the last statement travels with `commit`. */
export class PipelinedDriver extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<void>>()
  readonly #last = new WeakMap<DatabaseConnection, CompiledQuery>()

  // The commit waits for the answer. `begin` fails only when the connection is lost, and then all that follows fails too.
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const begun = super.beginTransaction(connection, settings)
    begun.catch(() => {})
    this.#begun.set(connection, begun)
    this.#last.delete(connection)
  }

  /** Have a transaction execute this when it commits; if it fails, the commit fails with its error. */
  executeLast(transaction: Query, statement: CompiledQuery): Promise<void> {
    return transaction.getExecutor().provideConnection(async (connection) => {
      this.#last.set(connection, statement)
    })
  }

  // PostgreSQL rolls back when a transaction commits after a statement of it failed.
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const last = this.#last.get(connection)
    const answers = last === undefined ? [] : [connection.executeQuery(last)]
    await Promise.all([this.#begun.get(connection), ...answers, super.commitTransaction(connection)])
  }
}
