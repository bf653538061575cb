import { unavailable } from '../src/domain/base/errors.ts'
import type { Database, Query } from '../src/storage/base/queries.ts'
import type { Faults } from './faulty-requests.ts'

/** A database whose commits fail as `faults` says: `before`, and the transaction is rolled back; `after`, and only the
 * reply is lost. Only transactions that record an event count, because the server writes by itself too. */
export function faultyDatabase(database: Database, faults: Faults): Database {
  const recording = new WeakSet<Query>()
  return {
    ...database,
    async insertAll(transaction, table, rows) {
      if (table === 'events' && rows.length > 0) recording.add(transaction)
      await database.insertAll(transaction, table, rows)
    },
    async write(change) {
      const done = await database.write(async (transaction) => {
        const result = await change(transaction)
        const when = recording.has(transaction) ? faults.take() : 'none'
        if (when === 'before') throw unavailable('database')
        return { result, when }
      })
      if (done.when === 'after') throw unavailable('database')
      return done.result
    },
  }
}
