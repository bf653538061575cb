import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { findForeignRows } from '../src/main.ts'
import { sharedTime } from '../src/shared-time.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { startTestApi } from './api.ts'

const HOUR_MS = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

test('a node whose clock is wrong takes the time of PostgreSQL', async () => {
  await using opened = new AsyncDisposableStack()
  const api = opened.adopt(await startTestApi('postgres'), (it) => it.close())
  const database = opened.adopt(await openDatabase(api.settings.databaseUrl ?? ''), (it) => it.close())
  const trueMs = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: trueMs + HOUR_MS })
  const now = await sharedTime(opened, { database, log: pino({ level: 'silent' }) })
  expect(Date.now() - now().getTime()).toBeGreaterThan(HOUR_MS / 2)
  const first = now().getTime()
  await expect.poll(() => now().getTime()).toBeGreaterThan(first)
})

test('a right that a node whose clock is behind gives again is no old row', async () => {
  await using opened = new AsyncDisposableStack()
  const api = opened.adopt(await startTestApi('postgres'), (it) => it.close())
  const as = await api.newOwner()
  const bundle = await api.call('createBundle', { as, body: { name: 'app/production' } })
  const key = await api.call('createKey', { as, body: { name: 'TOKEN', value: 'secret' } })
  const params = { bundle_id: bundle.json.id, key_id: key.json.id }
  const statuses = [(await api.call('attachKey', { as, params })).status]
  statuses.push((await api.call('detachKey', { as, params })).status)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - HOUR_MS })
  statuses.push((await api.call('attachKey', { as, params })).status)
  vi.useRealTimers()
  expect(statuses).toEqual([201, 200, 201])
  expect(await findForeignRows(api.settings)).toEqual([])
})

test('without a time of the database, this machine decides', async () => {
  await using opened = new AsyncDisposableStack()
  vi.useFakeTimers({ toFake: ['Date'], now: HOUR_MS })
  const now = await sharedTime(opened, { database: { readTime: null }, log: pino({ level: 'silent' }) })
  expect(now().getTime()).toBe(HOUR_MS)
})
