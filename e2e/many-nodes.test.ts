import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { hasRedis } from '../plumbing/test/redis-server.ts'
import { temporaryFolder } from '../server/test/program.ts'
import { type ManyNodes, type NodeName, startManyNodes } from './many-nodes.ts'
import { hasProxy } from './nginx.ts'
import { NodesClient } from './nodes-client.ts'
import { CLIENT_PROGRAM } from './programs.ts'

const VALUE = 'a value with $, "quotes" and ä'
const canRun = hasProxy('nginx') && hasPostgres() && hasRedis()

describe.skipIf(!canRun)('many nodes behind nginx, on PostgreSQL and Redis', () => {
  let nodes: ManyNodes
  let client: NodesClient

  beforeAll(async () => {
    nodes = await startManyNodes()
    client = new NodesClient(nodes)
    await client.begin(VALUE)
  })
  afterAll(async () => await nodes?.close())

  test('sign in on one node, ask another, wait on a third, approve through the fourth', async () => {
    const asked = await client.ask(nodes.addressOf('web-1'))
    const waiting = client.wait(asked, nodes.addressOf('web-2'))
    await nodes.untilWaiting(1)
    await client.approve(asked, nodes.addressOf('web-1'))
    expect(await waiting).toBe(VALUE)
    expect(await client.end(asked)).toBe(404)
  })

  test('500 values from a terminal without a credential: asked, planned, approved and waited for on any node', async () => {
    const folder = temporaryFolder()
    const file = join(folder.path, 'five-hundred.env')
    const names = Array.from({ length: 500 }, (_, index) => `MANY_${index}`)
    writeFileSync(file, names.map((name) => `${name}=planted-${name}\n`).join(''))
    const me = (await (await client.call('/api/v1/me')).json()) as { tenant: { id: string } }
    const words = ['import', file, '--bundle', 'many/app', '--json', '--no-open', '--workspace', me.tenant.id]
    const env = { PATH: process.env['PATH'], HOME: folder.path, KEYFERRY_SERVER: nodes.publicUrl }
    const terminal = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const events = createInterface({ input: terminal.stderr })[Symbol.asyncIterator]()
    const asked = JSON.parse((await events.next()).value ?? '{}') as { event: string; approval_url: string }
    expect(asked.event).toBe('asked')
    const path = `/api/v1/requests/${asked.approval_url.split('/').at(-1)}`
    const [one, other] = [nodes.addressOf('web-1'), nodes.addressOf('web-2')]
    const plan = await client.call(`${path}/deposit-plan`, { at: one, method: 'POST', body: {} })
    const { plan_id } = (await plan.json()) as { plan_id: string }
    const body = { plan_id, release: 'code' }
    const approved = await client.call(`${path}/deposit`, { at: other, method: 'POST', body })
    const { release } = (await approved.json()) as { release: { code: string } }
    const needed = JSON.parse((await events.next()).value ?? '{}')
    expect(needed).toMatchObject({ event: 'release_needed', by: 'code' })
    const returning = ['release', path.split('/').at(-1) ?? '', release.code]
    spawn(process.execPath, [CLIENT_PROGRAM, ...returning], { env, stdio: 'ignore' })
    expect(JSON.parse((await events.next()).value ?? '{}')).toMatchObject({
      event: 'stored',
      bundle: 'many/app',
      counts: { create: 500 },
    })
    const [code] = await once(terminal, 'exit')
    expect(code).toBe(0)
    folder.remove()
  })

  test.each<NodeName>(['web-1', 'api-1'])(
    '%s is killed while callers wait: each delivery arrives, once',
    async (name) => {
      const all = await Promise.all([client.ask(), client.ask(), client.ask()])
      const waiting = all.map((asked) => client.wait(asked))
      await nodes.untilWaiting(all.length)
      await nodes.kill(name)
      await Promise.all(all.map((asked) => client.approve(asked)))
      expect(await Promise.all(waiting)).toEqual(all.map(() => VALUE))
      await nodes.start(name)
      expect(await Promise.all(all.map((asked) => client.end(asked)))).toEqual([404, 404, 404])
    },
  )

  test('a stopped node answers its callers and ends', async () => {
    const asked = await client.ask()
    const wait = client.call(`/api/v1/requests/${asked.id}/wait`, { at: nodes.addressOf('web-1'), as: null })
    await nodes.untilWaiting(1)
    await nodes.kill('web-1', 'SIGTERM')
    expect(await (await wait).json()).toEqual({ status: 'pending' })
    await nodes.start('web-1')
  })

  test('a session that ends on one node has ended on the other', async () => {
    const own = await client.signIn('kim')
    const [one, other] = [nodes.addressOf('web-1'), nodes.addressOf('web-2')]
    expect((await client.call('/api/v1/me', { at: other, as: own })).status).toBe(200)
    expect((await client.call('/sign-out', { at: one, method: 'POST', as: own })).status).toBe(200)
    expect((await client.call('/api/v1/me', { at: other, as: own })).status).toBe(401)
  })

  test("the caller's address is counted once over all nodes", async () => {
    const asked = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        client.call('/api/v1/requests', {
          at: nodes.addressOf(n % 2 ? 'web-1' : 'web-2'),
          method: 'POST',
          body: { client_pubkey: Buffer.from(generateKeyPair().publicKey).toString('base64') },
          as: null,
        }),
      ),
    )
    expect(asked.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(10)
    expect(asked.some(({ status }) => status === 429)).toBe(true)
  })
})
