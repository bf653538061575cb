import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { hasPostgres, ownPostgres } from '../../plumbing/test/postgres.ts'
import { expectError, startTestApi } from './api.ts'

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
    expect([readiness.status, readiness.json]).toEqual([
      503,
      { status: 'unavailable', failing: ['database'], warnings: [] },
    ])

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
    const calls = Array.from({ length: 200 }, async (_, index) => {
      await sleep(index * 3)
      return (await api.call('createKey', { as: owner, body: { name: `K${index}`, value: '' } })).status
    })
    await sleep(200)
    await postgres.stop()
    await postgres.start()
    const statuses = await Promise.all(calls)
    expect(new Set(statuses)).toEqual(new Set([201, 503]))
    const kept = (await api.call('listKeys', { as: owner })).json.length
    expect(kept).toBeGreaterThanOrEqual(statuses.filter((status) => status === 201).length)
    await api.close()
    await postgres.dispose()
  })
})

describe('a SQLite file that is held by another process', () => {
  test('answers 503 with Retry-After after the longest wait, and serves again once the database answers', async () => {
    const api = await startTestApi('sqlite')
    const owner = await api.newOwner()
    const other = new DatabaseSync(join(api.settings.dataDir, 'keyferry.db'))
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
