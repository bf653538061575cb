import { digestOf } from '@keyferry/crypto/digest'
import { type ColumnTypes, creationOf } from '../schema/column.ts'
import { TABLES } from './tables.ts'

/** `hash`: of the statements, when they are no longer here. */
export type Migration = {
  name: string
  statements: (types: ColumnTypes) => readonly string[]
  hash?: string
}

/** What has changed since the first release, in order. A new database is made from the tables and runs no migration;
 * one of an earlier release runs those that it lacks. A migration, once released, never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-initial', statements: (types) => creationOf(TABLES, types) },
]

const ANY_DATABASE = { text: 'text', bytes: 'bytes', count: 'count', position: 'position', tableEnd: '' }

/** The same for both databases. */
export function hashOf({ statements, hash }: Migration): string {
  return hash ?? digestOf(statements(ANY_DATABASE).join(';\n'))
}
