import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks'
import { forgetEnded } from '../../storage/base/forgetting.ts'
import type { Queries, Query } from '../../storage/base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'

/** Give up messages that waited too long, and those beyond the bounds; forget old ones. */
export async function sweepMessages(
  { query, write }: Pick<Queries, 'query' | 'write'>,
  now: string,
): Promise<void> {
  await write((transaction) => giveUpOverdue(transaction, now))
  for (const webhook of await full(query)) await write((transaction) => trim(transaction, webhook, now))
  const before = new Date(Date.parse(now) - WEBHOOK_TIMES.logSeconds * 1_000).toISOString()
  await forgetEnded({ write }, { table: 'webhook_messages', ended: 'done_at', before })
}

async function giveUpOverdue(transaction: Query, now: string): Promise<void> {
  await transaction
    .updateTable('webhook_messages')
    .set({ state: 'failed', merge_key: null, last_error: 'expired', done_at: now })
    .where('state', '=', 'waiting')
    .where('give_up_at', '<=', now)
    .execute()
}

type Full = { tenant_id: string; webhook_id: string }

function full(query: Query): Promise<Full[]> {
  return query
    .selectFrom('webhook_messages')
    .select(['tenant_id', 'webhook_id'])
    .groupBy(['tenant_id', 'webhook_id'])
    .having(({ fn }) => fn.countAll<number>(), '>', WEBHOOK_LIMITS.messages)
    .execute()
}

/** Keep a webhook within its bounds: the oldest messages that wait are dropped, the oldest of the log forgotten. */
async function trim(transaction: Query, { tenant_id, webhook_id }: Full, now: string): Promise<void> {
  const beyond = (states: readonly ('waiting' | 'done' | 'failed')[]) =>
    selectOf(transaction, 'webhook_messages', { tenantId: tenant_id, webhook_id })
      .select('id')
      .where('state', 'in', states)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(WEBHOOK_LIMITS.messages)
      .offset(WEBHOOK_LIMITS.messages)
  await updateOf(transaction, 'webhook_messages', { tenantId: tenant_id, webhook_id })
    .set({ state: 'failed', merge_key: null, last_error: 'dropped', done_at: now })
    .where('id', 'in', beyond(['waiting']))
    .execute()
  await deleteOf(transaction, 'webhook_messages', { tenantId: tenant_id, webhook_id })
    .where('id', 'in', beyond(['done', 'failed']))
    .execute()
}
