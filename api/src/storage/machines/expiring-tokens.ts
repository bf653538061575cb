import { madeByServer } from '../../domain/base/event.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'

const AT_ONCE = 100

type Due = { tenant_id: string; id: string }

/** Record an event for each machine's token that expires soon, once for each token, whichever node looks first. */
export async function tellExpiring(
  { query, write }: Pick<Queries, 'query' | 'write'>,
  now: string,
): Promise<void> {
  const due = await query
    .selectFrom('machine_tokens')
    .select(['tenant_id', 'id'])
    .where('tell_at', '<=', now)
    .orderBy('tell_at')
    .limit(AT_ONCE)
    .execute()
  for (const token of due) await write((transaction) => tell(transaction, token, now))
}

async function tell(transaction: Recorded, { tenant_id, id }: Due, now: string): Promise<void> {
  const token = await updateOf(transaction, 'machine_tokens', { tenantId: tenant_id, id })
    .set({ tell_at: null })
    .where('tell_at', 'is not', null)
    .returning(['machine_id', 'hint', 'expires_at', 'ended_at'])
    .executeTakeFirst()
  if (!token || token.ended_at !== null || token.expires_at <= now) return
  const machine = await selectOf(transaction, 'machines', { tenantId: tenant_id, id: token.machine_id })
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
  transaction.record({
    ...madeByServer(now),
    tenantId: tenant_id,
    action: 'token.expiring',
    target: { kind: 'machine', ...machine },
    data: { token: id, hint: token.hint, expires_at: token.expires_at },
  })
}
