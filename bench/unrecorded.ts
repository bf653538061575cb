import type { Queries } from '../api/src/storage/base/queries.ts'

/** As `recording` of the API, but events are not written. */
export function recording(database: Omit<Queries, 'record'>): Queries {
  return { ...database, record: async () => {} }
}
