import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, ownPostgres } from '../../plumbing/test/postgres.ts'
import { PATIENCE_MS, TIME_LIMIT_FACTOR, until } from '../../plumbing/test/until.ts'
import { expectError, openDatabaseOf, startTestApi } from './api.ts'

describe.skipIf(!hasPostgres())('an unavailable PostgreSQL', () => {
  test('answers 503 with Retry-After, and its return needs no restart', async () => {
    const postgres = await ownPostgres()
    const api = await startTestApi('sqlite', { databaseUrl: postgres.url })
    const owner = await api.newOwner()
    const { json } = await api.call('createKey', { as: owner, body: { name: 'KEPT', value: 'v' } })
    const params = { key_id: json.id }

    await postgres.stop()
    for (const name of ['getKey', 'listKeys', 'getMe'] as const) {
      const answer = await api.call(name, { as: owner, params })
      expectError(answer, 503, 'database is unavailable', 'unavailable')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
    expect((await api.call('getHealth')).status).toBe(200)
    const readiness = await api.call('getReadiness')
    // Its warnings name the background work that failed by now.
    expect(readiness.status).toBe(503)
    expect(readiness.json).toMatchObject({ status: 'unavailable', failing: ['database'] })

    await postgres.start()
    await expect.poll(() => api.call('getKey', { as: owner, params }).then(({ status }) => status)).toBe(200)
    expect((await api.call('getReadiness')).status).toBe(200)
    await api.close()
    await postgres.dispose()
  })

  test('ends no call without an answer when its connections are cut', async () => {
    const postgres = await ownPostgres()
    const api = await startTestApi('sqlite', { databaseUrl: postgres.url })
    const owner = await api.newOwner()
    const statuses: number[] = []
    const over = new AbortController()
    const callers = Array.from({ length: 20 }, async (_, number) => {
      for (let count = 0; !over.signal.aborted; count += 1) {
        const body = { name: `K_${number}_${count}`, value: '' }
        statuses.push((await api.call('createKey', { as: owner, body })).status)
      }
    })
    await until('a success', () => statuses.includes(201))
    await postgres.stop()
    await until('a failure', () => statuses.includes(503))
    await postgres.start()
    await until('another success', () => statuses.at(-1) === 201)
    over.abort()
    await Promise.all(callers)
    expect(new Set(statuses)).toEqual(new Set([201, 503]))
    const kept = (await api.call('listKeys', { as: owner })).json.length
    expect(kept).toBeGreaterThanOrEqual(statuses.filter((status) => status === 201).length)
    await api.close()
    await postgres.dispose()
  })
})

describe('a SQLite file that is locked by another process', () => {
  beforeAll(() => multiplyTimeLimits(1))
  afterAll(() => multiplyTimeLimits(Number(TIME_LIMIT_FACTOR)))

  test('answers 503 with Retry-After after the longest wait, and serves again once the database answers', async () => {
    const api = await startTestApi('sqlite')
    const owner = await api.newOwner()
    const other = new DatabaseSync(join(api.settings.dataDir, 'keyferry.db'), { timeout: PATIENCE_MS })
    other.exec('begin exclusive')
    const create = () => api.call('createKey', { as: owner, body: { name: 'KEY', value: '' } })
    expectError(await create(), 503, 'database is unavailable', 'unavailable')
    expect((await api.call('listKeys', { as: owner })).status).toBe(200)
    other.exec('rollback')
    expect((await create()).status).toBe(201)
    other.close()
    await api.close()
  })

  test('is created readable by its owner only', async () => {
    const api = await startTestApi('sqlite')
    for (const name of readdirSync(api.settings.dataDir)) {
      expect(statSync(join(api.settings.dataDir, name)).mode & 0o077, name).toBe(0)
    }
    await api.close()
  })
})

test.each<[string, string[]]>([
  ['is full', ['pragma max_page_count = 1', 'create table filler as select zeroblob(1000000) as bytes']],
  ['is read-only', ['pragma query_only = on', 'create table more (name text)']],
  ['cannot be opened', ["attach database '/no/such/folder/file.db' as other"]],
])('a SQLite file that %s is unavailable', async (_what, statements) => {
  const api = await startTestApi('sqlite')
  const database = await openDatabaseOf(api)
  const work = database.query.transaction().execute(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction)
  })
  await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  await database.close()
  await api.close()
})
