import { isMissingReference, isTaken } from './database.ts'
import type { Queries, Query } from './queries.ts'
import { holdTenant } from './tenants.ts'

/** Ends the transaction of an import or a move: another call changed what its plan is based on. */
export class Overtaken extends Error {}

/** Read a library, plan and change it in one transaction, all or nothing. Imports, moves and deletes of one tenant follow
 * one another.
 * @returns null if another call changed the library after it was read; then nothing is changed */
export async function changeLibrary<T>(
  { write }: Pick<Queries, 'write'>,
  tenantId: string,
  change: (transaction: Query) => Promise<T>,
): Promise<T | null> {
  try {
    return await write(async (transaction) => {
      await holdTenant(transaction, tenantId)
      return change(transaction)
    })
  } catch (error) {
    if (error instanceof Overtaken || isTaken(error) || isMissingReference(error)) return null
    throw error
  }
}

// Both databases bound the parameters of one query.
const AT_ONCE = 200

/** The parts of a list that one query takes. */
export function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += AT_ONCE) yield list.slice(from, from + AT_ONCE)
}
