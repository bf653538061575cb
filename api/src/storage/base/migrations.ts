import type { ColumnTypes } from '../schema/column.ts'

export type Migration = { name: string; statements: (types: ColumnTypes) => readonly string[] }

/** What has changed since the first release, in order. A new database is made from the tables and needs no migration;
 * one of an earlier release needs those that it lacks. A name, once released, never changes its meaning. */
export const MIGRATIONS: readonly Migration[] = [{ name: '0001-initial', statements: () => [] }]
