import { sql } from 'kysely'
import { z } from 'zod'
import type { Query } from '../base/queries.ts'
import type { KnownVersions } from '../keys-at-rest/missing-macs.ts'

const ROWS_AT_ONCE = 1_000
const WithRows = z.object({ rows: z.array(z.string()) })
// A name that a person chose cannot contain this: JSON escapes the quotes in it.
const HAS_ROWS = '%},"rows":["%'

/** The newest version of each row that the logs and the outbox of all workspaces name. */
export async function knownVersions(query: Query): Promise<KnownVersions> {
  const known = new Map<string, number>()
  for await (const bodies of bodiesWithRows(query))
    for (const body of bodies)
      for (const text of WithRows.parse(JSON.parse(body)).rows) {
        const end = text.lastIndexOf(' ')
        const row = text.slice(0, end)
        known.set(row, Math.max(known.get(row) ?? 0, Number(text.slice(end + 1))))
      }
  return known
}

// The outbox first: what is appended in between is then in the log.
async function* bodiesWithRows(query: Query): AsyncGenerator<string[]> {
  const waiting = await query.selectFrom('events').select('body').where('body', 'like', HAS_ROWS).execute()
  yield waiting.map(({ body }) => body)
  for (let last: { tenant_id: string; seq: number } | undefined; ; ) {
    const after = last && sql`and (tenant_id, seq) > (${last.tenant_id}, ${last.seq})`
    const { rows } = await sql<{ tenant_id: string; seq: number; body: string }>`
      select tenant_id, seq, body from audit_log where body like ${HAS_ROWS} ${after ?? sql``}
      order by tenant_id, seq limit ${sql.lit(ROWS_AT_ONCE)}`.execute(query)
    yield rows.map(({ body }) => body)
    last = rows.at(-1)
    if (rows.length < ROWS_AT_ONCE) break
  }
}
