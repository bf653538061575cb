import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openDatabase } from '../src/storage/base/database.ts'
import { databases, startTestApi } from './api.ts'

const WAITING = sql<{ query: string }>`select query from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

const LOGGED = sql<{ body: string }>`select body from audit_log union all select body from events`
const Entry = z.object({
  action: z.string(),
  target: z.object({ id: z.string() }),
  rows: z.array(z.string()).default([]),
})

// SQLite has one writer, so nothing can be under way.
test.runIf(databases.includes('postgres'))(
  'a key that is attached while it is deleted leaves the bundle, and the log says so',
  async () => {
    await using opened = new AsyncDisposableStack()
    const api = opened.adopt(await startTestApi('postgres'), (it) => it.close())
    const database = opened.adopt(await openDatabase(api.settings.databaseUrl ?? ''), (it) => it.close())
    const as = await api.newOwner()
    const bundle = await api.call('createBundle', { as, body: { name: 'app/production' } })
    const key = await api.call('createKey', { as, body: { name: 'TOKEN', value: 'secret' } })
    const params = { bundle_id: bundle.json.id, key_id: key.json.id }
    const waiting = async () => (await WAITING.execute(database.query)).rows.map(({ query }) => query)

    const calls = await database.write(async (transaction) => {
      // The attachment is inserted, and its event waits.
      await sql`lock table events in share mode`.execute(transaction)
      const attaching = api.call('attachKey', { as, params })
      await expect.poll(waiting).toContainEqual(expect.stringContaining('into "events"'))
      const deleting = api.call('deleteKey', { as, params })
      await expect.poll(waiting).toContainEqual(expect.stringContaining('from "keys"'))
      return [attaching, deleting]
    })
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([201, 200])
    const { rows } = await LOGGED.execute(database.query)
    const entries = rows.map(({ body }) => Entry.parse(JSON.parse(body)))
    const ofBundle = entries.filter(({ target }) => target.id === params.bundle_id)
    expect(ofBundle.map(({ action }) => action)).toContain('bundle.detached')
    const place = `attachments ${as.tenantId} ${params.bundle_id} ${params.key_id} `
    const versions = entries
      .flatMap((entry) => entry.rows)
      .filter((row) => row.startsWith(place))
      .map((row) => Number(row.slice(place.length)))
    const [attached = 0, ended] = versions.toSorted((one, other) => one - other)
    expect(ended).toBe(attached + 1)
  },
)
