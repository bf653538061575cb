import type { ColumnTypes } from '../queries.ts'
import { initial } from './0001-initial.ts'

/** Every migration in the order in which they run. A name, once released, never changes its meaning. */
export const MIGRATIONS: readonly {
  name: string
  statements: (columns: ColumnTypes) => readonly string[]
}[] = [{ name: '0001-initial', statements: initial }]
