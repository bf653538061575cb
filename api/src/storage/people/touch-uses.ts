import { TIMES } from '@keyferry/contract'
import type { TouchUseStore } from '../../domain/people/touch.ts'
import type { Queries } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'

/** Uses are in the database and not in Redis: a failover that forgets a use forgets the act too. */
export function createTouchUseStore({ single }: Pick<Queries, 'single'>): TouchUseStore {
  return {
    firstUse: (nonce_hash, used_at) =>
      single((query) => {
        const insertion = query.insertInto('touch_uses').values({ nonce_hash, used_at })
        return hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))
      }),
    async forget(now) {
      const before = new Date(Date.parse(now) - TIMES.touchMemorySeconds * 1_000).toISOString()
      await single((query) => query.deleteFrom('touch_uses').where('used_at', '<', before).execute())
    },
  }
}
