import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { actsOn } from '../../test/request-acts.ts'
import { sampleRequest, sealing } from '../../test/sample-request.ts'
import { EXPIRED_KNOWN_MS } from '../domain/requests/request-store.ts'
import { openSqliteRequestStore } from './sqlite.ts'

const T0 = Date.parse('2026-01-31T12:00:00Z')

const request = (id: string, expiresAtMs = T0 + 300_000) => sampleRequest({ id, expiresAtMs })

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-requests-'))
  path = join(folder, 'requests.db')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

const rowsOnDisk = () => {
  const database = new DatabaseSync(path)
  const rows = database.prepare('select * from requests order by id').all()
  database.close()
  return rows
}
const idsOnDisk = () => rowsOnDisk().map((row) => row['id'])
const contentsOnDisk = () =>
  rowsOnDisk()
    .filter((row) => row['request'] !== '' || row['payload'] !== null || row['state'] !== '')
    .map((row) => row['id'])

test('requests survive a restart; one that was claimed stays taken', async () => {
  const before = actsOn(openSqliteRequestStore({ path, now: () => T0 }))
  for (const id of ['pending', 'ready', 'claimed']) await before.create(request(id), T0)
  for (const id of ['ready', 'claimed']) await before.approve(id, sealing(), T0)
  await before.claim('claimed', T0)
  await before.close()

  const after = actsOn(openSqliteRequestStore({ path, now: () => T0 }))
  expect((await after.find('pending', T0))?.status).toBe('pending')
  expect(await after.claim('ready', T0)).toEqual({
    status: 'claimed',
    ciphertextBase64: 'c2VhbGVk',
    approved: null,
  })
  expect(await after.claim('claimed', T0)).toEqual({ status: 'taken' })
  await after.close()
})

test('a claim that could not be written returns no ciphertext', async () => {
  const store = actsOn(openSqliteRequestStore({ path, now: () => T0 }))
  await store.create(request('ready'), T0)
  await store.approve('ready', sealing(), T0)
  const disk = new DatabaseSync(path)
  // A reference that is checked at the very end fails where a full disk fails: after the row was found and changed.
  disk.exec(`create table kept (id text primary key);
    create table broken (id text references kept deferrable initially deferred);
    create trigger breaks after update on requests begin insert into broken values ('x'); end`)
  await expect(store.claim('ready', T0)).rejects.toThrow()
  disk.exec('drop trigger breaks')
  disk.close()
  expect(await store.claim('ready', T0)).toEqual({
    status: 'claimed',
    ciphertextBase64: 'c2VhbGVk',
    approved: null,
  })
  await store.close()
})

test('what has expired leaves the disk, at the start and then once a minute; its id follows 15 minutes later', async () => {
  vi.useFakeTimers({ now: T0, toFake: ['setInterval', 'clearInterval', 'Date'] })
  const before = actsOn(openSqliteRequestStore({ path, now: Date.now }))
  await before.create(request('old', T0 + 1), T0)
  await before.approve('old', sealing(), T0)
  expect(contentsOnDisk()).toEqual(['old'])
  await before.close()
  vi.setSystemTime(T0 + 1)

  const store = actsOn(openSqliteRequestStore({ path, now: Date.now }))
  expect(contentsOnDisk()).toEqual([])
  await store.create(request('short', T0 + 30_000), T0)
  await store.create(request('long', T0 + 90_000), T0)
  vi.advanceTimersByTime(60_000)
  expect(contentsOnDisk()).toEqual(['long'])
  expect(idsOnDisk()).toEqual(['long', 'old', 'short'])
  expect(await store.hasExpired('short', Date.now())).toBe(true)
  vi.advanceTimersByTime(EXPIRED_KNOWN_MS)
  expect(idsOnDisk()).toEqual(['long'])
  vi.advanceTimersByTime(60_000)
  expect(idsOnDisk()).toEqual([])
  await store.close()
})

test('a closed store is unavailable', async () => {
  const store = actsOn(openSqliteRequestStore({ path, now: () => T0 }))
  await store.close()
  await expect(store.find('any', T0)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
})

test('requests of another version are dropped, and the store works', async () => {
  const other = new DatabaseSync(path)
  other.exec('create table requests (id text primary key); insert into requests values (1)')
  other.close()
  const store = actsOn(openSqliteRequestStore({ path, now: () => T0 }))
  expect(idsOnDisk()).toEqual([])
  await store.create(request('new'), T0)
  expect(await store.claim('new', T0)).toEqual({ status: 'pending' })
  await store.close()
})
