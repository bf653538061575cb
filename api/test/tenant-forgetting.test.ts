import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createClient } from 'redis'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ownRedis, testRedis } from '../../plumbing/test/redis-server.ts'
import { type ApiSettings, exportAudit, forgetTenantOf, verifyAudit, verifyValues } from '../src/main.ts'
import { ringOf } from '../src/maintenance.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { TABLES } from '../src/storage/base/tables.ts'
import { TenantKeys } from '../src/storage/keys-at-rest/tenant-keys.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { type Library, libraryOnNodes } from './kept-database.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const LOG = ['events', 'audit_log', 'audit_heads', 'audit_seals']
const confirmed = async () => true

function forgetting(settings: ApiSettings, tenantId: string): ChildProcess {
  const script = `
    const api = await import(process.argv[1])
    await api.forgetTenantOf(...JSON.parse(process.argv[2]), async () => true)`
  const words = JSON.stringify([settings, tenantId])
  return spawn(process.execPath, ['--input-type=module', '--eval', script, MAIN, words], { stdio: 'inherit' })
}

describe.each(oneDatabase)('a forgotten tenant on %s', (kind) => {
  let nodes: TestApi[]
  let database: Database
  let redis: Awaited<ReturnType<typeof ownRedis>> = null
  let kept: Library
  let stranger: Identity
  beforeEach(async () => {
    redis = kind === 'sqlite' ? null : await ownRedis()
    const options = { trustProxy: ['127.0.0.1'], sweepSeconds: 0.2, redisUrl: redis?.url ?? null }
    ;({ nodes, kept, stranger, database } = await libraryOnNodes(kind, options))
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await database.close()
    await redis?.stop()
  })

  const node = (n = 0) => nodes[n % nodes.length] as TestApi
  const rowsLeft = async (id: string) => {
    const left: string[] = []
    for (const [table, { columns }] of Object.entries(TABLES)) {
      if (!('tenant_id' in columns)) continue
      const rows = database.query
        .selectFrom(table as 'keys')
        .select('tenant_id')
        .where('tenant_id', '=', id)
      if ((await rows.execute()).length > 0) left.push(table)
    }
    return left
  }

  /** A request whose approval waits for its client, one that names the workspace, and one of another workspace. */
  async function openRequests() {
    const clients = [
      new ApprovalClient(node()),
      new ApprovalClient(node()),
      new ApprovalClient(node()),
    ] as const
    const [ready, named, other] = clients
    const approve = async (client: ApprovalClient, as: Identity) => {
      const { id: bundle_id } = await newBundle(node(), as, { [`K_${as.tenantId.slice(-8)}`]: 'v' })
      const requestId = await client.asked()
      const include_keys = [`K_${as.tenantId.slice(-8)}`]
      expect((await approveWith(node(), as, { requestId, bundle_id, include_keys })).status).toBe(200)
      return requestId
    }
    return {
      ready: { client: ready, id: await approve(ready, kept.owner) },
      named: { client: named, id: await named.asked({ workspace: kept.owner.tenantId }) },
      other: { client: other, id: await approve(other, stranger) },
    }
  }

  test('answers as an unknown one on all nodes, its requests are gone, and only its log is left', async () => {
    const { owner, keyId } = kept
    const { tenantId } = owner
    const { ready, named, other } = await openRequests()
    for (const each of nodes) await each.call('getKey', { as: owner, params: { key_id: keyId } })
    const { wrapped_key } = await database.query
      .selectFrom('tenants')
      .select('wrapped_key')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow()
    const { value } = await database.query
      .selectFrom('keys')
      .select('value')
      .where('id', '=', keyId)
      .executeTakeFirstOrThrow()
    const keys = new TenantKeys(database, ringOf(node().settings))
    await keys.of(tenantId)
    expect(await forgetTenantOf(node().settings, tenantId, confirmed)).toBe(2)
    const standing = () =>
      keys.of(tenantId).then(
        () => 'known',
        ({ code }) => code,
      )
    await expect.poll(standing).toBe('not_found')
    // It has left the memory too: a transaction that encrypts looks for the row, and not for the same key.
    const encrypting = database.query.transaction().execute((change) => keys.locked(change, tenantId))
    await expect(encrypting).rejects.toMatchObject({ code: 'not_found' })
    const unknown = { ...owner, tenantId: crypto.randomUUID() }
    for (const each of nodes)
      for (const as of [owner, unknown]) {
        expectError(await each.call('listKeys', { as }), 404, 'User not found')
        const change = { as, params: { key_id: keyId }, body: { value: 'late' } }
        expectError(await each.call('updateKey', change), 404, 'User not found')
      }
    for (const { client, id } of [ready, named])
      expectError(await client.wait(id, {}, node(1)), 404, 'request not found or expired')
    expect((await other.client.wait(other.id, {}, node(1))).json).toMatchObject({ status: 'ready' })
    expect((await rowsLeft(tenantId)).filter((table) => !LOG.includes(table))).toEqual([])
    await expect.poll(() => lastAction(tenantId)).toBe('tenant.forgotten')
    for (const { problem } of await verifyAudit(node().settings, tenantId)) expect(problem).toBeNull()
    expect((await verifyValues(node().settings)).failures).toEqual([])
    expect((await node().call('listKeys', { as: stranger })).status).toBe(200)
    // Sweepers, senders and chain writers ran at the same time.
    for (const each of nodes) await each.sweep()
    for (const each of nodes) expect(each.log()).not.toMatch(/"level":(50|60)|"level":"error"/)
    if (kind === 'postgres') return
    await sql`pragma wal_checkpoint(truncate)`.execute(database.query)
    const files = ['keyferry.db', 'keyferry.db-wal'].map((name) => join(node().settings.dataDir, name))
    for (const file of files.filter((path) => existsSync(path)))
      for (const gone of [wrapped_key, value])
        expect(readFileSync(file).includes(Buffer.from(gone)), file).toBe(false)
  })

  async function lastAction(tenantId: string): Promise<unknown> {
    let text = ''
    await exportAudit(node().settings, tenantId, (lines) => {
      text += lines
    })
    return /.*"action":"([\w.]+)"/s.exec(text.replaceAll('\\"', '"'))?.[1]
  }

  test('a person without another workspace gets a new one at the next sign-in', async () => {
    const { json } = await node().call('ensureUser', {
      body: { idp_user_id: 'user_lonely', email: 'lonely@example.com', email_verified: true },
    })
    await forgetTenantOf(node().settings, json.tenant_id, confirmed)
    const again = await node().call('ensureUser', {
      body: { idp_user_id: 'user_lonely', email: 'lonely@example.com', email_verified: true },
    })
    expect([again.json.user_id, again.json.tenant_id === json.tenant_id]).toEqual([json.user_id, false])
  })

  // A trial.
  if (process.env['TRIALS'])
    test('killed at any moment and run again, it ends; while nodes write', async () => {
      const { tenantId } = kept.owner
      const { ready } = await openRequests()
      const end = new AbortController()
      const statuses = new Set<number>()
      const writing = nodes.map(async (each, at) => {
        for (let count = 0; !end.signal.aborted; count += 1) {
          const body = { name: `W_${at}_${count}`, value: 'v', is_secret: false }
          statuses.add((await each.call('createKey', { as: kept.owner, body })).status)
        }
      })
      const isGone = async () => !(await rowsLeft(tenantId)).includes('memberships')
      for (const moment of [() => sleep(300), () => expect.poll(isGone, { interval: 5 }).toBe(true)]) {
        const run = forgetting(node().settings, tenantId)
        await moment()
        run.kill('SIGKILL')
        if (run.exitCode === null && run.signalCode === null) await once(run, 'exit')
      }
      await forgetTenantOf(node().settings, tenantId, confirmed)
      end.abort()
      await Promise.all(writing)
      expect([...statuses].filter((status) => ![201, 404, 503].includes(status))).toEqual([])
      expect((await rowsLeft(tenantId)).filter((table) => !LOG.includes(table))).toEqual([])
      expectError(await ready.client.wait(ready.id), 404, 'request not found or expired')
      expect((await verifyValues(node().settings)).failures).toEqual([])
    })

  test('another name or an unknown id destroys nothing', async () => {
    const { tenantId } = kept.owner
    const asked: string[] = []
    const refuse = async (name: string) => {
      asked.push(name)
      return false
    }
    await expect(forgetTenantOf(node().settings, tenantId, refuse)).rejects.toThrow(
      'the name does not match: nothing was deleted',
    )
    expect(asked).toEqual([expect.stringContaining('workspace')])
    const unknown = forgetTenantOf(node().settings, 'nobody', confirmed)
    await expect(unknown).rejects.toThrow('no workspace has the id nobody')
    expect((await verifyValues(node().settings)).checked).toBe(7)
  })
})

const shared = await testRedis()
afterAll(() => shared?.stop())

test.runIf(shared)('all nodes learn at once that a request of a forgotten tenant ended', async () => {
  await using opened = new AsyncDisposableStack()
  const redisUrl = shared?.url ?? ''
  const api = opened.adopt(await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], redisUrl }), (it) =>
    it.close(),
  )
  const listener = opened.adopt(await createClient({ url: redisUrl }).connect(), (it) => it.destroy())
  const notices: string[] = []
  await listener.subscribe('keyferry:requests', (ids) => notices.push(...ids.split(' ')))
  const { tenantId } = await api.newOwner()
  const id = await new ApprovalClient(api).asked({ workspace: tenantId })
  expect(await forgetTenantOf(api.settings, tenantId, confirmed)).toBe(1)
  await expect.poll(() => notices).toContain(id)
})
