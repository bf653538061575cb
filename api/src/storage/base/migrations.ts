import { digestOf } from '@keyferry/crypto/digest'
import type { ColumnTypes } from '../schema/column.ts'

export type Migration = { name: string; statements: (types: ColumnTypes) => readonly string[] }

/** What releases changed, in order. A new database is made from the tables and runs no migration; an older one runs
 * those that it lacks. A migration, once released, never changes. The first one is the tables of 0.1.0. */
export const MIGRATIONS: readonly Migration[] = [{ name: '0001-release', statements: () => [] }]

const ANY_DATABASE = {
  text: 'text',
  bytes: 'bytes',
  count: 'count',
  position: 'position',
  tableEnd: '',
  shortLived: { create: 'create table', end: '' },
}

/** The same for both databases. */
export function hashOf({ statements }: Migration): string {
  return digestOf(statements(ANY_DATABASE).join(';\n'))
}
