import { isMissingReference, isTaken } from '../base/database.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { lockTenant } from '../people/tenants.ts'

/** Ends the transaction of an import or a move: another call changed what its plan is based on. */
export class Overtaken extends Error {}

/** Read a library, plan and change it in one transaction, all or nothing. Imports, moves and deletes of one tenant
 * follow one another.
 * @returns null if another call changed the library after it was read; then nothing is changed */
export async function changeLibrary<T>(
  { write }: Pick<Queries, 'write'>,
  tenantId: string,
  change: (transaction: Recorded) => Promise<T>,
): Promise<T | null> {
  try {
    return await write(async (transaction) => {
      await lockTenant(transaction, tenantId)
      return change(transaction)
    })
  } catch (error) {
    if (isOvertaken(error)) return null
    throw error
  }
}

/** Whether another call changed the library in between. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof Overtaken || isTaken(error) || isMissingReference(error)
}
