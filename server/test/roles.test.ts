import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { CreatedRequest, RequestContext } from '@keyferry/contract'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { Program, temporaryFolder } from './program.ts'

const SECRET = randomBytes(32).toString('base64')
const ROOT_KEY = randomBytes(32).toString('base64')

let folder: ReturnType<typeof temporaryFolder>
const started: Program[] = []

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop('SIGKILL')))
  folder.remove()
})

function program(role: string, settings: Readonly<Record<string, string>>): Program {
  const dataDir = join(folder.path, role || 'all')
  const child = new Program({ DATA_DIR: dataDir, BFF_SHARED_SECRET: SECRET, ...settings }, role ? [role] : [])
  started.push(child)
  return child
}

test('the two layers run as separate processes', async () => {
  const api = await program('api', {}).ready()
  const web = await program('web', { API_URL: api }).ready()
  const bundles = await fetch(`${web}/api/v1/bundles`)
  expect([bundles.status, await bundles.json()]).toEqual([200, []])
  expect((await fetch(`${web}/readyz`)).status).toBe(200)
})

test('the API without a web layer refuses unsigned calls, and its start text does not mention sign-in', async () => {
  const child = program('api', {})
  const api = await child.ready()
  expect((await fetch(`${api}/api/v1/bundles`)).status).toBe(401)
  expect(child.stdout).not.toContain('Sign-in')
})

test.runIf(hasPostgres())(
  'an API node whose requests are not in Redis has its data folder for itself',
  async () => {
    const settings = { DATABASE_URL: await freshPostgres(), ROOT_KEY }
    await program('api', settings).ready()
    await expect(program('api', settings).ready()).rejects.toThrow(
      'another keyferry-server is running on DATA_DIR',
    )
  },
)

test('layers that do not share the secret do not serve each other', async () => {
  const api = await program('api', {}).ready()
  const other = randomBytes(32).toString('base64')
  const web = await program('web', { API_URL: api, BFF_SHARED_SECRET: other }).ready()
  expect((await fetch(`${web}/api/v1/bundles`)).status).toBe(401)
  const ready = await fetch(`${web}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: 'unavailable', failing: ['signature'], warnings: [] },
  ])
})

test('a web node whose clock is off says so', async () => {
  const api = await program('api', {}).ready()
  const ahead = 'const now = Date.now; Date.now = () => now() + 90_000'
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(ahead)}`
  const web = await program('web', { API_URL: api, NODE_OPTIONS }).ready()
  expect((await fetch(`${web}/api/v1/bundles`)).status).toBe(401)
  const ready = await fetch(`${web}/readyz`)
  expect([ready.status, await ready.json()]).toMatchObject([503, { failing: ['clock'] }])
})

test('either secret of a list is accepted while it is rotated', async () => {
  const fresh = randomBytes(32).toString('base64')
  const api = await program('api', { BFF_SHARED_SECRET: `${fresh},${SECRET}` }).ready()
  const web = await program('web', { API_URL: api }).ready()
  expect((await fetch(`${web}/api/v1/bundles`)).status).toBe(200)
})

test('the stricter signature can be required', async () => {
  const api = await program('api', { REQUIRE_SIGNATURE_V2: '1' }).ready()
  const web = await program('web', { API_URL: api }).ready()
  expect((await fetch(`${web}/api/v1/bundles`)).status).toBe(200)
})

test('no secret is ever printed, on a good start or a bad one', async () => {
  const good = program('', { ROOT_KEY, LOG_LEVEL: 'trace' })
  await fetch(`${await good.ready()}/api/v1/bundles`)
  await good.stop()
  const password = 'a-password-of-a-database'
  const databaseUrl = `postgres://keyferry:${password}@127.0.0.1:1/keyferry`
  const bad = program('api', {
    ROOT_KEY,
    DATABASE_URL: databaseUrl,
    REDIS_URL: `redis://:${password}@127.0.0.1:1`,
  })
  const { code } = await bad.exited
  expect(code).toBe(1)
  const printed = good.stdout + good.stderr + bad.stdout + bad.stderr
  for (const secret of [SECRET, ROOT_KEY, password]) expect(printed).not.toContain(secret)
  expect(bad.stderr.split('\n')).toHaveLength(2)
})

test('the API trusts the client address that a web node signs, and names what a plain start lacks', async () => {
  const child = program('api', {})
  const api = await child.ready()
  const web = await program('web', { API_URL: api, TRUST_PROXY: '127.0.0.1' }).ready()
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' }
  const init = { method: 'POST', headers, body: JSON.stringify({ client_pubkey }) }
  const ipAt = async (address: string) => {
    const { id } = CreatedRequest.parse(await (await fetch(`${address}/api/v1/requests`, init)).json())
    const answer = await fetch(`${address}/api/v1/requests/${id}/context`)
    return RequestContext.parse(await answer.json()).requester_meta.ip
  }
  expect(await ipAt(web)).toBe('203.0.113.7')
  expect(await ipAt(api)).toBe('127.0.0.1')
  expect(child.stdout).toContain('TRUST_PROXY is not set')
})
