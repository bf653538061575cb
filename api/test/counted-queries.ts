import type { KyselyPlugin } from 'kysely'
import { until } from '../../plumbing/test/until.ts'
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
    /** The least that two calls took: during a call, the server may also append to the log or read the tenant's key
     * again. */
    async fewestOf(call: () => Promise<unknown>): Promise<number> {
      const counts: number[] = []
      return await until('two calls without other queries', async () => {
        const before = queries
        await call()
        counts.push(queries - before)
        const least = Math.min(...counts)
        return counts.filter((count) => count === least).length > 1 && least
      })
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
