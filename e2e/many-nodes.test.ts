import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { hasRedis } from '../plumbing/test/redis-server.ts'
import { temporaryFolder } from '../server/test/program.ts'
import { callbackOf } from '../web/test/sign-in.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import { type ManyNodes, type NodeName, startManyNodes } from './many-nodes.ts'
import { hasProxy } from './nginx.ts'
import { CLIENT_PROGRAM } from './programs.ts'

type Asked = { id: string; keys: KeyPair }
type WaitAnswer = { status: 'pending' } | { status: 'ready'; ciphertext_base64: string }

const VALUE = 'a value with $, "quotes" and ä'
const canRun = hasProxy('nginx') && hasPostgres() && hasRedis()

function opened(ciphertext: string, keys: KeyPair): string {
  const plaintext = Buffer.from(open(Buffer.from(ciphertext, 'base64'), keys)).toString()
  return (JSON.parse(plaintext) as { TOKEN: string }).TOKEN
}

describe.skipIf(!canRun)('many nodes behind nginx, on PostgreSQL and Redis', () => {
  let nodes: ManyNodes
  let cookie: string
  let bundleId: string
  let peer = 0

  beforeAll(async () => {
    nodes = await startManyNodes()
    cookie = await signIn('sam')
    bundleId = await libraryWith('TOKEN', VALUE)
  }, 120_000)
  afterAll(async () => await nodes?.close())

  async function signIn(subject: string): Promise<string> {
    const browser = new TestBrowser()
    const back = await browser.request(await callbackOf(browser, { webUrl: nodes.publicUrl, subject }))
    expect(back.status).toBe(302)
    return `__session=${browser.cookies(nodes.publicUrl).get('__session')}`
  }

  type Call = {
    at?: string
    method?: string
    body?: unknown
    as?: string | null
    headers?: Record<string, string>
  }

  /** A call as the browser makes it, through nginx unless a node is named. */
  async function call(
    path: string,
    { at = nodes.publicUrl, method = 'GET', body, as = cookie, headers = {} }: Call = {},
  ) {
    return await fetch(at + path, {
      method,
      headers: {
        ...(as === null ? {} : { cookie: as, origin: nodes.publicUrl }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async function libraryWith(name: string, value: string): Promise<string> {
    const key = (await (await call('/api/v1/keys', { method: 'POST', body: { name, value } })).json()) as {
      id: string
    }
    const bundle = (await (
      await call('/api/v1/bundles', { method: 'POST', body: { name: 'dev/app' } })
    ).json()) as { id: string }
    await call(`/api/v1/bundles/${bundle.id}/keys/${key.id}`, { method: 'POST', body: {} })
    return bundle.id
  }

  // Sends a different address as a proxy would, because one address may make ten requests a minute.
  async function ask(at = nodes.addressOf('web-1')): Promise<Asked> {
    const keys = generateKeyPair()
    const body = { client_pubkey: Buffer.from(keys.publicKey).toString('base64') }
    peer += 1
    const from = { 'x-forwarded-for': `198.51.100.${peer}` }
    const answer = await call('/api/v1/requests', { at, method: 'POST', body, as: null, headers: from })
    expect(answer.status).toBe(201)
    return { id: ((await answer.json()) as { id: string }).id, keys }
  }

  async function approve({ id }: Asked, at = nodes.publicUrl): Promise<void> {
    const body = { bundle_id: bundleId, include_keys: ['TOKEN'] }
    const path = `/api/v1/requests/${id}/encrypt-from-bundle`
    await expect
      .poll(async () => (await call(path, { at, method: 'POST', body })).status, {
        timeout: 15_000,
        interval: 200,
      })
      .toSatisfy((status: number) => status === 200 || status === 409)
  }

  /** Wait as a client does: retry after a broken connection, a 503 or a 429. */
  async function wait({ id, keys }: Asked, at = nodes.publicUrl): Promise<string> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const answer = await call(`/api/v1/requests/${id}/wait`, { at, as: null }).catch(() => null)
      if (answer?.status === 404) throw new Error('the request is gone')
      const result = answer?.status === 200 ? ((await answer.json()) as WaitAnswer) : null
      if (result?.status === 'ready') return opened(result.ciphertext_base64, keys)
      await sleep(answer?.status === 429 ? 3_000 : 300)
    }
    throw new Error('nothing was delivered')
  }

  test('sign in on one node, ask another, wait on a third, approve through the fourth', async () => {
    const asked = await ask(nodes.addressOf('web-1'))
    const waiting = wait(asked, nodes.addressOf('web-2'))
    await sleep(300)
    await approve(asked, nodes.addressOf('web-1'))
    expect(await waiting).toBe(VALUE)
    await sleep(3_100)
    expect((await call(`/api/v1/requests/${asked.id}/wait`, { as: null })).status).toBe(404)
  })

  test('500 values from a terminal without a credential: asked, planned, approved and waited for on any node', async () => {
    const folder = temporaryFolder()
    const file = join(folder.path, 'five-hundred.env')
    const names = Array.from({ length: 500 }, (_, index) => `MANY_${index}`)
    writeFileSync(file, names.map((name) => `${name}=planted-${name}\n`).join(''))
    const words = ['import', file, '--bundle', 'many/app', '--json', '--no-open']
    const env = { PATH: process.env['PATH'], HOME: folder.path, KEYFERRY_SERVER: nodes.publicUrl }
    const client = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const events = createInterface({ input: client.stderr })[Symbol.asyncIterator]()
    const asked = JSON.parse((await events.next()).value ?? '{}') as { event: string; approval_url: string }
    expect(asked.event).toBe('asked')
    const path = `/api/v1/requests/${asked.approval_url.split('/').at(-1)}`
    const [one, other] = [nodes.addressOf('web-1'), nodes.addressOf('web-2')]
    const plan = await call(`${path}/deposit-plan`, { at: one, method: 'POST', body: {} })
    const { plan_id } = (await plan.json()) as { plan_id: string }
    const approved = await call(`${path}/deposit`, { at: other, method: 'POST', body: { plan_id } })
    expect([approved.status, await approved.json()]).toMatchObject([
      200,
      { deposit: { counts: { create: 500 } } },
    ])
    expect(JSON.parse((await events.next()).value ?? '{}')).toMatchObject({
      event: 'stored',
      bundle: 'many/app',
    })
    const [code] = await once(client, 'exit')
    expect(code).toBe(0)
    folder.remove()
  })

  test.each<NodeName>(['web-1', 'web-2', 'api-1', 'api-2'])(
    '%s is killed while callers wait: each delivery arrives, once',
    async (name) => {
      const all = await Promise.all([ask(), ask(), ask()])
      const waiting = all.map((asked) => wait(asked))
      await sleep(300)
      await nodes.kill(name)
      await Promise.all(all.map((asked) => approve(asked)))
      expect(await Promise.all(waiting)).toEqual(all.map(() => VALUE))
      await nodes.start(name)
      await sleep(3_100)
      const again = await Promise.all(all.map(({ id }) => call(`/api/v1/requests/${id}/wait`, { as: null })))
      expect(again.map(({ status }) => status)).toEqual([404, 404, 404])
    },
    60_000,
  )

  test('a stopped node answers its callers and ends', async () => {
    const asked = await ask()
    const held = call(`/api/v1/requests/${asked.id}/wait`, { at: nodes.addressOf('web-1'), as: null })
    await sleep(300)
    await nodes.kill('web-1', 'SIGTERM')
    expect(await (await held).json()).toEqual({ status: 'pending' })
    await nodes.start('web-1')
  })

  test('a session that ends on one node has ended on the other', async () => {
    const own = await signIn('kim')
    const [one, other] = [nodes.addressOf('web-1'), nodes.addressOf('web-2')]
    expect((await call('/api/v1/me', { at: other, as: own })).status).toBe(200)
    expect((await call('/sign-out', { at: one, method: 'POST', as: own })).status).toBe(200)
    expect((await call('/api/v1/me', { at: other, as: own })).status).toBe(401)
  })

  test("the caller's address is counted once over all nodes", async () => {
    const asked = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        call('/api/v1/requests', {
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
