import type { Database, Queries } from '../api/src/storage/queries.ts'

/** As `recording` of the API, but events are not written. */
export function recording({ query, prepare, write, insertAll, holdShared }: Database): Queries {
  return { query, prepare, write, insertAll, holdShared, record: async () => {} }
}
