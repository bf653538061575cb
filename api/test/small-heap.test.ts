import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callsTo, expectError, type Identity, signedHeaders, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'

const ITEMS = 1_500
const ITEMS_AT_ONCE = 150
const PUBLIC_KEYS = 500
const KEYS_AT_ONCE = 10
const VALUE = 'v'.repeat(64 * 1_024)
const PART_BYTES = 2_000
const TEMPLATE = '${P}'.repeat(LIMITS.templateParts)
const templates = Array.from({ length: 250 }, (_, index) => `T${index}`)
const SERVER = fileURLToPath(new URL('small-heap-server.ts', import.meta.url))

let server: ChildProcess | undefined
let address: string
let api: Pick<TestApi, 'call'>
let owner: Identity
let bundleId: string
let publicBundleId: string
let composedBundleId: string
const names = Array.from({ length: ITEMS }, (_, index) => `V${index}`)

beforeAll(async () => {
  const filled = await startTestApi('sqlite', {
    trustProxy: ['127.0.0.1'],
    maxBodyBytes: 16 * 1_024 * 1_024,
    devAllowPlaintext: true,
  })
  owner = await filled.newOwner()
  bundleId = await filledBundle(filled)
  publicBundleId = await bundleOfPublicKeys(filled)
  composedBundleId = await bundleOfTemplates(filled)
  await filled.close()
  server = spawn(process.execPath, ['--max-old-space-size=80', SERVER, JSON.stringify(filled.settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (!server.stdout) throw new Error('the server has no standard output')
  address = String(await once(createInterface(server.stdout), 'line'))
  api = { call: callsTo(address) }
})
afterAll(() => server?.kill())

async function filledBundle(filled: TestApi): Promise<string> {
  const { json } = await filled.call('createBundle', { as: owner, body: { name: 'large' } })
  for (let from = 0; from < ITEMS; from += ITEMS_AT_ONCE) {
    const data = Object.fromEntries(names.slice(from, from + ITEMS_AT_ONCE).map((name) => [name, VALUE]))
    const params = { bundle_id: json.id }
    const body = { format: 'json', data }
    expect((await filled.call('importItems', { as: owner, params, body })).status).toBe(200)
  }
  return json.id
}

function bundleOfPublicKeys(filled: TestApi): Promise<string> {
  const keys = Array.from({ length: PUBLIC_KEYS }, (_, index) => ({ name: `P${index}`, value: VALUE }))
  return bundleOf(filled, 'public', keys)
}

/** A bundle of 60 KB that composes 16 MB for each reader: its templates use one short part often. */
function bundleOfTemplates(filled: TestApi): Promise<string> {
  const part = { name: 'P', value: 'p'.repeat(PART_BYTES) }
  return bundleOf(filled, 'composed', [
    part,
    ...templates.map((name) => ({ name, value: TEMPLATE, is_template: true })),
  ])
}

async function bundleOf(filled: TestApi, name: string, keys: { name: string; value: string }[]) {
  const bundle = (await filled.call('createBundle', { as: owner, body: { name } })).json
  const add = async (key: object) => {
    const { json } = await filled.call('createKey', { as: owner, body: { ...key, is_secret: false } })
    const params = { bundle_id: bundle.id, key_id: json.id }
    expect((await filled.call('attachKey', { as: owner, params })).status).toBe(201)
  }
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    await Promise.all(keys.slice(from, from + KEYS_AT_ONCE).map(add))
  }
  return bundle.id
}

const read = (path: string) => readAny(`bundles/${path}`)
const readAny = async (path: string) => {
  const response = await fetch(`${address}/api/v1/${path}`, { headers: signedHeaders(owner) })
  expect(response.status).toBe(200)
  return response.text()
}

test('a library larger than the heap is listed in groups', async () => {
  const keys = JSON.parse(await readAny('keys'))
  expect(keys).toHaveLength(PUBLIC_KEYS + templates.length + 1)
  const long = keys.filter(({ is_template }: { is_template: boolean }) => !is_template).slice(1)
  expect(long.every(({ value }: { value: string }) => value === VALUE)).toBe(true)
  expect(keys[0]).not.toHaveProperty('isLong')
  const listed = keys.map(({ name }: { name: string }) => name)
  expect(listed).toEqual(listed.toSorted())
  expect(JSON.parse(await readAny('keys?limit=40&offset=7'))).toEqual(keys.slice(7, 47))
})

describe('a bundle larger than the heap is read in groups', () => {
  test('by get-bundle and list-bundle-keys', async () => {
    const { id, items } = JSON.parse(await read(publicBundleId))
    const keys = JSON.parse(await read(`${publicBundleId}/keys`))
    expect(id).toBe(publicBundleId)
    for (const list of [items, keys]) {
      expect(list.map(({ order }: { order: number }) => order)).toEqual([...Array(PUBLIC_KEYS).keys()])
      expect(list.every(({ value }: { value: string }) => value === VALUE)).toBe(true)
    }
    expect(items[0]).not.toHaveProperty('isLong')
  })

  test('by the export as JSON and as ENV text', async () => {
    const exported = JSON.parse(await read(`${bundleId}/export?format=json&reveal=1`))
    expect(Object.keys(exported).toSorted()).toEqual(names.toSorted())
    expect(Object.values(exported).every((value) => value === VALUE)).toBe(true)
    const text = await read(`${bundleId}/export?format=env&reveal=1`)
    const lines = names.toSorted().map((name) => `${name}=${VALUE}\n`)
    expect(text === lines.join('')).toBe(true)
  })
})

describe('a bundle whose composed values are larger than the heap', () => {
  const composed = 'p'.repeat(PART_BYTES * LIMITS.templateParts)

  test('is read in groups, by several callers at a time', async () => {
    const answers = await Promise.all([
      read(composedBundleId),
      read(`${composedBundleId}/keys`),
      read(`${composedBundleId}/export?format=env&reveal=1`),
      read(`${composedBundleId}/export?format=json&reveal=1`),
    ])
    for (const answer of answers) expect(answer.split(composed)).toHaveLength(templates.length + 1)
  })

  test('is refused by its sizes when it is approved', async () => {
    const requestId = await new ApprovalClient(api).asked()
    const all = await approveWith(api, owner, {
      requestId,
      bundle_id: composedBundleId,
      include_keys: templates,
    })
    expectError(all, 413, 'approval payload exceeds 1048576 bytes', 'too_large')
  })
})

test('an approval far beyond the bound is 413, and a server with a small heap goes on', async () => {
  const asking = new ApprovalClient(api)
  const requestId = await asking.asked()
  const all = await approveWith(api, owner, { requestId, bundle_id: bundleId, include_keys: names })
  expectError(all, 413, 'approval payload exceeds 1048576 bytes', 'too_large')
  const few = { requestId, bundle_id: bundleId, include_keys: names.slice(0, 15) }
  expect((await approveWith(api, owner, few)).status).toBe(200)
  expect(asking.opened(await asking.wait(requestId))).toHaveProperty('V14', VALUE)
})
