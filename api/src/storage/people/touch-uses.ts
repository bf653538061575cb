import { TIMES } from '@keyferry/contract'
import type { TouchUseStore } from '../../domain/people/touch.ts'
import type { Queries, Query } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'

/** Uses are in the database and not in Redis: a failover that forgets a use forgets the act too. */
export function createTouchUseStore({ single }: Pick<Queries, 'single'>): TouchUseStore {
  return {
    firstUse: (nonceHash, now) => single((query) => noteTouch(query, nonceHash, now)),
    async forget(now) {
      const before = new Date(Date.parse(now) - TIMES.touchMemorySeconds * 1_000).toISOString()
      await single((query) => query.deleteFrom('touch_uses').where('used_at', '<', before).execute())
    },
  }
}

/** Note the first use of a nonce. False: it was used before. */
export function noteTouch(query: Query, nonce_hash: string, used_at: string): Promise<boolean> {
  const insertion = query.insertInto('touch_uses').values({ nonce_hash, used_at })
  return hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))
}
