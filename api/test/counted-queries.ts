import type { KyselyPlugin } from 'kysely'
import type { Database } from '../src/storage/base/queries.ts'

/** Counts the queries of an API that starts with `aroundDatabase`. Reads that are prepared once are not counted. */
export function countedQueries() {
  let queries = 0
  let inThisTurn = 0
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      queries += 1
      inThisTurn += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    aroundDatabase: (database: Database): Database => ({
      ...database,
      query: database.query.withPlugin(counting),
    }),
    /** The least of three calls: during a call, the server may also append to the log or read the tenant's key
     * again. */
    async fewestOf(call: () => Promise<unknown>): Promise<number> {
      const counts: number[] = []
      while (counts.length < 3) {
        const before = queries
        await call()
        counts.push(queries - before)
      }
      return Math.min(...counts)
    },
    /** The most queries between two turns of the event loop: so many block all other calls. */
    async mostInATurn(call: () => Promise<unknown>): Promise<number> {
      let most = 0
      let isOver = false
      const endTurn = () => {
        most = Math.max(most, inThisTurn)
        inThisTurn = 0
        if (!isOver) setImmediate(endTurn)
      }
      endTurn()
      await call()
      isOver = true
      return most
    },
  }
}
