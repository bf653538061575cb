import { TIMES } from '@keyferry/contract'
import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { LastingAct, LastingActStore } from '../../domain/people/lasting-act.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'

export function createLastingActStore({ query, write, single }: Queries): LastingActStore {
  return {
    list: (tenantId, now, callHash) => list(query, { tenantId, now, callHash }),
    announce: ({ userId: user_id, callHash: call_hash, createdAt, countsFrom, ...act }, stamp) =>
      write(async (transaction) => {
        const { tenantId: tenant_id } = stamp
        const times = { created_at: createdAt, counts_from: countsFrom }
        const own = deleteOf(transaction, 'lasting_acts', { tenantId: tenant_id, user_id, call_hash })
        await own.where('counts_from', '<', overdue(createdAt)).execute()
        const insertion = transaction
          .insertInto('lasting_acts')
          .values({ ...act, ...times, tenant_id, user_id, call_hash })
        if (await hasChanged(insertion.onConflict((conflict) => conflict.doNothing())))
          transaction.record(eventOf('lasting_act.announced', stamp, user_id))
      }),
    end: (id, stamp) => write((transaction) => endLastingAct(transaction, id, stamp)),
    async forget(now) {
      await single((one) => one.deleteFrom('lasting_acts').where('counts_from', '<', overdue(now)).execute())
    },
  }
}

/** @returns false: it is gone already */
export async function endLastingAct(transaction: Recorded, id: string, stamp: Stamp): Promise<boolean> {
  const { tenantId } = stamp
  const found = deleteOf(transaction, 'lasting_acts', { tenantId, id }).returning('user_id')
  const [row] = await found.execute()
  if (row) transaction.record(eventOf('lasting_act.ended', stamp, row.user_id))
  return row !== undefined
}

function eventOf(action: Event['action'], stamp: Stamp, userId: string): Event {
  return { ...madeBy(stamp), action, target: { kind: 'user', id: userId, name: null } }
}

function overdue(now: string): string {
  return new Date(Date.parse(now) - TIMES.lastingActKeptSeconds * 1_000).toISOString()
}

async function list(
  query: Query,
  { tenantId, now, callHash }: { tenantId: string; now: string; callHash: string | undefined },
): Promise<LastingAct[]> {
  const whose = callHash === undefined ? tenantId : { tenantId, call_hash: callHash }
  const rows = await selectOf(query, 'lasting_acts', whose)
    .innerJoin('users', 'users.id', 'lasting_acts.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'lasting_acts.user_id')
        .onRef('memberships.tenant_id', '=', 'lasting_acts.tenant_id'),
    )
    .where('counts_from', '>=', overdue(now))
    .select(['lasting_acts.id', 'lasting_acts.user_id', 'username', 'act', 'call_hash', 'concerns'])
    .select(['lasting_acts.created_at', 'counts_from'])
    .orderBy('lasting_acts.created_at')
    .execute()
  return rows.map(({ user_id, call_hash, created_at, counts_from, ...row }) => ({
    ...row,
    userId: user_id,
    callHash: call_hash,
    createdAt: created_at,
    countsFrom: counts_from,
  }))
}
