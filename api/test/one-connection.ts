import { AsyncLocalStorage } from 'node:async_hooks'
import type { KyselyPlugin } from 'kysely'
import type { Database } from '../src/storage/base/queries.ts'

/** A database that refuses a read beside a transaction that is being made: such a read does not see what the
 * transaction has changed, and on SQLite nor what those before it have changed. */
export function oneConnection(database: Database): Database {
  const changing = new AsyncLocalStorage<true>()
  const refuse = () => {
    if (changing.getStore()) throw new Error('a read beside the transaction that is being made')
  }
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      refuse()
      return node
    },
    // A prepared statement is not transformed.
    async transformResult({ result }) {
      refuse()
      return result
    },
  }
  return {
    ...database,
    query: database.query.withPlugin(plugin),
    write: (change) => database.write((transaction) => changing.run(true, () => change(transaction))),
  }
}
