import type { EventOrigin } from '../../domain/base/event.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { endGrants, type GrantEnding } from './grant-ends.ts'

/** End what the credentials of a person gave: sessions that began until now, and remembered approvals.
 * @returns how many remembered approvals */
export async function endCredentials(
  transaction: Recorded,
  userId: string,
  end: EventOrigin & { reason?: GrantEnding['reason'] },
): Promise<number> {
  await transaction
    .updateTable('users')
    .set((column) => ({ epoch: column(column.fn.coalesce('epoch', column.lit(0)), '+', 1) }))
    .where('id', '=', userId)
    .execute()
  return await endGrants(transaction, { userId }, { reason: 'signed_out', ...end })
}

/** How often that happened. */
export async function epochOf(query: Query, userId: string): Promise<number> {
  const row = await query.selectFrom('users').select('epoch').where('id', '=', userId).executeTakeFirst()
  return row?.epoch ?? 0
}
