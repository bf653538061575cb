import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { unwrapTenantKey } from '@keyferry/crypto/tenant-key'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keyIdOfBlob } from '../../crypto/src/blob.ts'
import { keyId } from '../../crypto/src/derivation-key.ts'
import { type ApiSettings, rotateRootKey, rotateTenantKey, verifyValues } from '../src/main.ts'
import { ringOf } from '../src/maintenance.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { storedValues } from '../src/storage/keys-at-rest/stored-values.ts'
import { TenantKeys } from '../src/storage/keys-at-rest/tenant-keys.ts'
import { ValueVault } from '../src/storage/keys-at-rest/value-vault.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { type Library, libraryOnNodes } from './kept-database.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
// A little more than a server uses a key without reading it again.
const SETTLE_MS = 2_200
const WORK_PAUSE_MS = 150

/** A rotation in a process of its own, as an operator runs it. */
function rotation(settings: ApiSettings, tenantId: string): ChildProcess {
  const script = `
    const api = await import(process.argv[1])
    await api.rotateTenantKey(...JSON.parse(process.argv[2]))`
  const words = JSON.stringify([settings, { tenantId, settleMs: SETTLE_MS }])
  return spawn(process.execPath, ['--input-type=module', '--eval', script, MAIN, words], { stdio: 'inherit' })
}

async function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

const allUnder = (id: string) => ({
  'keys.value': [id],
  'key_versions.value': [id],
  'legacy_items.value': [id],
  'proposals.value': [id],
  'webhooks.secret': [id],
  'webhooks.old_secret': [id],
})

describe.each(oneDatabase)('rotation of a tenant key on %s', (kind) => {
  let nodes: TestApi[]
  let database: Database
  let kept: Library
  let stranger: Identity
  beforeEach(async () => {
    ;({ nodes, kept, stranger, database } = await libraryOnNodes(kind, { trustProxy: ['127.0.0.1'] }))
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await database.close()
  })

  const settings = () => nodes[0]?.settings as ApiSettings
  const tenant = (id = kept.owner.tenantId) =>
    database.query.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const currentId = async (from = settings()) => {
    const { id, wrapped_key } = await tenant()
    return keyId(unwrapTenantKey(wrapped_key, ringOf(from), id))
  }
  const usedIds = async () => {
    const ids = new Map<string, Set<string>>()
    for await (const values of storedValues(database.query, kept.owner.tenantId))
      for (const { table, column, blob } of values) {
        const place = `${table}.${column}`
        ids.set(place, (ids.get(place) ?? new Set()).add(keyIdOfBlob(blob)))
      }
    return Object.fromEntries([...ids].map(([place, used]) => [place, [...used]]))
  }
  async function work(node: TestApi, name: string, signal: AbortSignal): Promise<number> {
    const { owner } = kept
    const body = { name, value: `${name} 0`, is_secret: false }
    const { key_id } = { key_id: (await node.call('createKey', { as: owner, body })).json.id }
    let count = 0
    for (; !signal.aborted; count += 1) {
      const value = `${name} ${count}`
      const changed = await node.call('updateKey', { as: owner, params: { key_id }, body: { value } })
      const read = await node.call('getKey', { as: owner, params: { key_id } })
      expect([changed.failure, read.failure, read.json.value]).toEqual([null, null, value])
      await sleep(WORK_PAUSE_MS)
    }
    return count
  }

  // A trial.
  if (process.env['TRIALS']) {
    test('killed at each step and run again, it ends with one new key while nodes read and write', async () => {
      const other = await tenant(stranger.tenantId)
      const before = await currentId()
      expect(await usedIds()).toEqual(allUnder(before))
      const end = new AbortController()
      const working = nodes.map((node, at) => work(node, `WORK_${at}`, end.signal))
      const steps = [
        async () => (await tenant()).next_key !== null,
        async () => (await tenant()).old_key !== null,
        async () => Object.values(await usedIds()).every((ids) => !ids.includes(before)),
      ]
      for (const isReached of steps) {
        const run = rotation(settings(), kept.owner.tenantId)
        await expect.poll(isReached, { interval: 50 }).toBe(true)
        run.kill('SIGKILL')
        await ended(run)
      }
      expect(await ended(rotation(settings(), kept.owner.tenantId))).toBe(0)
      end.abort()
      for (const count of await Promise.all(working)) expect(count).toBeGreaterThan(5)
      const after = await currentId()
      expect(after).not.toBe(before)
      expect(await usedIds()).toEqual(allUnder(after))
      expect(await tenant()).toMatchObject({ next_key: null, old_key: null })
      expect(await tenant(stranger.tenantId)).toEqual(other)
      expect((await verifyValues(settings())).failures).toEqual([])
    })
  }

  test('a rotation of the root key in between keeps all keys of a tenant', async () => {
    const run = rotation(settings(), kept.owner.tenantId)
    await expect.poll(async () => (await tenant()).old_key !== null).toBe(true)
    run.kill('SIGKILL')
    await ended(run)
    const next = formatRootKey(generateRootKey())
    await rotateRootKey({ ...settings(), rootKeys: [next, ...settings().rootKeys] })
    const moved = { ...settings(), rootKeys: [next] as const }
    expect((await verifyValues(moved)).failures).toEqual([])
    const before = await tenant(stranger.tenantId)
    await rotateTenantKey(moved, { tenantId: null, settleMs: 0 })
    // A run without a workspace continues the one that was stopped, and gives the others a new key too.
    expect((await tenant(stranger.tenantId)).wrapped_key).not.toEqual(before.wrapped_key)
    expect(await usedIds()).toEqual(allUnder(await currentId(moved)))
    expect((await verifyValues(moved)).failures).toEqual([])
  })

  test('without a workspace each has a new key; an unknown workspace is refused', async () => {
    const before = await database.query.selectFrom('tenants').selectAll().execute()
    expect(await rotateTenantKey(settings(), { tenantId: null, settleMs: 0 })).toEqual({
      tenants: before.length,
      values: 7,
    })
    for (const { id, wrapped_key } of before)
      expect(Buffer.from((await tenant(id)).wrapped_key).equals(wrapped_key)).toBe(false)
    const unknown = rotateTenantKey(settings(), { tenantId: 'nobody', settleMs: 0 })
    await expect(unknown).rejects.toThrow('no workspace has the id nobody')
  })

  // SQLite has one writer, so nothing can be under way.
  if (kind === 'postgres')
    test('waits for a transaction that encrypts with the old key', async () => {
      const { tenantId } = kept.owner
      const vault = new ValueVault(new TenantKeys(database, ringOf(settings())), 'legacy_items')
      const locked = await vault.toWrite(tenantId)
      const row = await database.query.selectFrom('legacy_items').selectAll().executeTakeFirstOrThrow()
      const rotated = await database.write(async (transaction) => {
        const { encrypt } = await locked(transaction)
        const rotating = rotateTenantKey(settings(), { tenantId, settleMs: 0 })
        const waiting = database.query
          .selectFrom('pg_locks' as never)
          .select('pid' as never)
          .where('granted' as never, '=', false as never)
        await expect.poll(async () => (await waiting.execute()).length).toBeGreaterThan(0)
        expect(await usedIds()).toEqual(allUnder(await currentId()))
        const encrypted = encrypt(Plaintext.of('a late value'), { ...row, id: 'late', name: 'LATE' })
        await transaction.insertInto('legacy_items').values(encrypted).execute()
        return { rotating }
      })
      await rotated.rotating
      expect(await usedIds()).toEqual(allUnder(await currentId()))
      expect((await verifyValues(settings())).failures).toEqual([])
    })

  test('a server that remembers the old key stores its next value under the new one', async () => {
    const [node] = nodes
    const create = (name: string) =>
      node?.call('createKey', { as: kept.owner, body: { name, value: 'v', is_secret: false } })
    await create('BEFORE_ROTATION')
    await rotateTenantKey(settings(), { tenantId: kept.owner.tenantId, settleMs: 0 })
    expect((await create('AFTER_ROTATION'))?.json).toMatchObject({ name: 'AFTER_ROTATION', value: 'v' })
    expect(await usedIds()).toEqual(allUnder(await currentId()))
    expect((await verifyValues(settings())).failures).toEqual([])
  })

  test('a write that finds another key counts what it stores once', async () => {
    const api = await startTestApi(kind, { maxTenantBytes: 100_000 })
    const as = await api.newOwner()
    const create = (name: string, value: string) => api.call('createKey', { as, body: { name, value } })
    expect((await create('SMALL', 'v')).status).toBe(201)
    await rotateTenantKey(api.settings, { tenantId: as.tenantId, settleMs: 0 })
    expect((await create('LARGE', 'v'.repeat(60_000))).status).toBe(201)
    await api.close()
  })
})
