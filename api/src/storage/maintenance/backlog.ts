import { sql } from 'kysely'
import type { Database } from '../base/queries.ts'

/** What waits in the database, of all tenants: events that are not numbered yet (`oldest`: ISO timestamp).
 * And when the newest keys of the server were made. */
export type Backlog = Record<'events' | 'migrations', number> &
  Record<'oldest' | 'rootKey' | 'receiptKey' | 'depositKey', string | null>

export async function readBacklog({ query }: Pick<Database, 'query'>): Promise<Backlog> {
  const { rows } = await sql<Backlog>`select count(*) as events, min(created_at) as oldest,
      (select count(*) from migrations) as migrations,
      (select max(created_at) from root_keys) as "rootKey",
      (select max(created_at) from receipt_keys) as "receiptKey",
      (select max(created_at) from deposit_keys) as "depositKey"
    from events where refused_at is null`.execute(query)
  const [backlog] = rows
  if (!backlog) throw new Error('a count has no row')
  return backlog
}
