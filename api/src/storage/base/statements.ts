import { type DeleteResult, type InsertResult, sql, type UpdateResult } from 'kysely'
import type { Queries, Recorded } from './queries.ts'

/** A method of a store that makes a change in one transaction. */
export function changing<Asked extends unknown[], Outcome>(
  { write }: Pick<Queries, 'write'>,
  change: (transaction: Recorded, ...asked: Asked) => Promise<Outcome>,
): (...asked: Asked) => Promise<Outcome> {
  return (...asked) => write((transaction) => change(transaction, ...asked))
}

type WriteStatement = { executeTakeFirstOrThrow: () => Promise<InsertResult | UpdateResult | DeleteResult> }

/** Run a statement.
 * @returns whether it inserted, updated or deleted a row */
export async function hasChanged(statement: WriteStatement): Promise<boolean> {
  const result = await statement.executeTakeFirstOrThrow()
  if ('numUpdatedRows' in result) return result.numUpdatedRows > 0n
  if ('numDeletedRows' in result) return result.numDeletedRows > 0n
  return result.numInsertedOrUpdatedRows !== undefined && result.numInsertedOrUpdatedRows > 0n
}

/** Joins two tables by a column of each, such as `keys.id` and `attachments.key_id`, within a tenant. */
export function inOneTenant(column: string, other: string) {
  const tenants = [column, other].map((name) => sql.ref(`${name.split('.')[0]}.tenant_id`))
  return sql<boolean>`${sql.join(tenants, sql` = `)} and ${sql.ref(column)} = ${sql.ref(other)}`
}
