import { sql } from 'kysely'
import type { BundleMarks, MarkStore } from '../../domain/library/bundle-marks.ts'
import type { DueBy } from '../../domain/library/key-lifetime.ts'
import { inChunks } from '../base/chunks.ts'
import type { Query } from '../base/queries.ts'
import { keysAttached } from '../base/tenant-rows.ts'
import { hasOlderHolder } from '../holders/holders.ts'

/** What needs a look in bundles: keys that are due, and keys of which a holder has an older value. */
export function createMarkStore(query: Query): MarkStore {
  return {
    async marks(tenantId, bundleIds, due) {
      const counted = await inChunks(bundleIds, (ids) => marksIn(query, { tenantId, ids, due }))
      return new Map(counted.map(({ bundle_id, ...marks }) => [bundle_id, marks]))
    },
  }
}

type Marked = { tenantId: string; ids: readonly string[]; due: DueBy }

function marksIn(
  query: Query,
  { tenantId, ids, due }: Marked,
): Promise<(BundleMarks & { bundle_id: string })[]> {
  const isExpired = sql<boolean>`coalesce(keys.expires_at <= ${due.rotateBy}, false)`
  const isDue = sql<boolean>`(keys.expires_at <= ${due.expiresBy} or keys.rotate_at <= ${due.rotateBy})`
  const isOlder = sql<boolean>`(keys.value_version > 1 and ${hasOlderHolder})`
  const count = (condition: typeof isDue) => sql<number>`sum(case when ${condition} then 1 else 0 end)`
  return keysAttached(query, tenantId)
    .select('attachments.bundle_id')
    .select(count(isExpired).as('expired'))
    .select(count(sql`${isDue} and not ${isExpired}`).as('due'))
    .select(count(isOlder).as('older'))
    .where('attachments.bundle_id', 'in', ids)
    .where(sql<boolean>`(${isDue} or ${isOlder})`)
    .groupBy('attachments.bundle_id')
    .execute()
}
