import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program
let address: string

beforeEach(async () => {
  folder = temporaryFolder()
  program = new Program({ DATA_DIR: folder.path, LOG_LEVEL: 'trace' })
  address = await program.ready()
})

afterEach(async () => {
  await program.stop('SIGKILL')
  folder.remove()
})

const marked = (name: string) => `marked-${name}-${randomBytes(8).toString('hex')}`

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(address + path, { method, headers: { ...type, ...headers }, ...sent })
  const json = (await answer.json()) as { id: string; status: string }
  return { status: answer.status, request: answer.headers.get('x-request-id'), json }
}

const lines = () =>
  program.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line))

test('one request id is in the lines of both layers and in the answer', async () => {
  const { request: id } = await send('GET', '/api/v1/bundles')
  // The first call of a person has one line more: the web-facing layer tells the API of them.
  const ofCall = () => lines().filter(({ request, route }) => request === id && route === '/api/v1/bundles')
  await expect.poll(ofCall).toHaveLength(2)
  expect(ofCall()).toEqual([
    expect.objectContaining({ method: 'GET', route: '/api/v1/bundles', status: 200 }),
    expect.objectContaining({ method: 'GET', route: '/api/v1/bundles', status: 200 }),
  ])
})

test('nothing that a caller sent is logged, and no value is on disk in the clear', async () => {
  const value = marked('value')
  const secrets = {
    value,
    name: marked('name').replaceAll('-', '_'),
    description: marked('description'),
    query: marked('query'),
    agent: marked('agent'),
    cookie: marked('cookie'),
    malformed: marked('malformed'),
    invitation: marked('invitation'),
  }
  const key = await send('POST', '/api/v1/keys', {
    name: secrets.name,
    value,
    description: secrets.description,
  })
  expect(key.status).toBe(201)
  const bundle = await send('POST', '/api/v1/bundles', { name: 'dev/app' })
  await send('POST', `/api/v1/bundles/${bundle.json.id}/keys/${key.json.id}`, {})
  await send('PUT', `/api/v1/keys/${key.json.id}`, { value: `${value}2` })
  await send('GET', `/api/v1/keys?query=${secrets.query}`, undefined, {
    'user-agent': secrets.agent,
    cookie: `__session=${secrets.cookie}`,
  })
  await send('POST', '/api/v1/keys', { name: secrets.malformed.repeat(20), value })
  await send('POST', '/api/v1/invitations/accept', { token: secrets.invitation })
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const asked = await send('POST', '/api/v1/requests', { client_pubkey })
  await send('POST', `/api/v1/requests/${asked.json.id}/encrypt-from-bundle`, {
    bundle_id: bundle.json.id,
    include_keys: [secrets.name],
  })
  expect((await send('GET', `/api/v1/requests/${asked.json.id}/wait`)).json.status).toBe('ready')
  await program.stop()
  const printed = program.stdout + program.stderr
  expect(lines().length).toBeGreaterThan(16)
  for (const secret of [...Object.values(secrets), asked.json.id, client_pubkey])
    expect(printed).not.toContain(secret)
  for (const name of readdirSync(folder.path))
    expect([name, readFileSync(join(folder.path, name)).includes(value)]).toEqual([name, false])
})
