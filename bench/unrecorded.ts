import type { Database, Queries } from '../api/src/storage/queries.ts'

/** As `recording` of the API, but events are not written. */
export function recording(database: Pick<Database, 'query' | 'prepare' | 'write'>): Queries {
  const { query, prepare, write } = database
  return { query, prepare, write, record: async () => {} }
}
