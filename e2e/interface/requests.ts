import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import sodium from 'sodium-native'
import { beforeAll, expect, test } from 'vitest'
import {
  type Answer,
  Caller,
  expectFailure,
  expectRetryAfter,
  newAddress,
  newName,
  textOf,
} from './client.ts'
import { newPerson, type Running } from './servers.ts'

const GONE = 'request not found or expired'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

export type Terminal = { publicKey: string; open: (boxBase64: string) => unknown }

const raw = (key: KeyObject, part: 'x' | 'd') =>
  Buffer.from(key.export({ format: 'jwk' })[part] ?? '', 'base64url')

/** A terminal with a key pair, which opens its box with libsodium. */
export function newTerminal(): Terminal {
  const pair = generateKeyPairSync('x25519')
  const [publicKey, secretKey] = [raw(pair.publicKey, 'x'), raw(pair.privateKey, 'd')]
  const open = (boxBase64: string): unknown => {
    const box = Buffer.from(boxBase64, 'base64')
    const plain = Buffer.alloc(box.length - sodium.crypto_box_SEALBYTES)
    if (!sodium.crypto_box_seal_open(plain, box, publicKey, secretKey))
      throw new Error('the box does not open')
    return JSON.parse(plain.toString('utf8'))
  }
  return { publicKey: publicKey.toString('base64'), open }
}

/** The approval flow. */
export function requests(running: Running): void {
  let caller: Caller
  let bundle: string
  const names = { secret: newName('SECRET'), open: newName('OPEN') }
  const bundleName = newName('dev/app')
  beforeAll(async () => {
    ;({ caller } = await newPerson(running(), running().url))
    bundle = textOf(await caller.post('/api/v1/bundles', { name: bundleName, description: 'of tests' }), 'id')
    const made = [
      await caller.post('/api/v1/keys', { name: names.secret, value: 'välue "1"\n' }),
      await caller.post('/api/v1/keys', { name: names.open, value: '', is_secret: false }),
    ]
    for (const key of made) await caller.post(`/api/v1/bundles/${bundle}/keys/${textOf(key, 'id')}`)
  })

  const anyone = () => new Caller(running().url)
  const ask = (body: object) => anyone().post('/api/v1/requests', body, { from: newAddress() })
  const newRequest = async (terminal = newTerminal(), rest: object = {}) =>
    `/api/v1/requests/${textOf(await ask({ client_pubkey: terminal.publicKey, ...rest }), 'id')}`
  const approve = (path: string, body: object): Promise<Answer> =>
    caller.post(`${path}/encrypt-from-bundle`, body)
  const wait = (path: string) => anyone().get(`${path}/wait?interval=3`, { from: newAddress() })

  test('a request needs no credentials', async () => {
    const { publicKey: client_pubkey } = newTerminal()
    const answer = await ask({ client_pubkey })
    const id = textOf(answer, 'id')
    const times = { interval: 3, expires_in: 300 }
    expect(answer).toMatchObject({
      status: 201,
      json: { verification_uri_complete: `/approve/${id}`, ...times },
    })
    for (const format of ['sh', 'fish', '.env'])
      expect((await ask({ client_pubkey, format, bundle_id: bundleName, template_keys: ['A'] })).status).toBe(
        201,
      )
    for (const body of [
      {},
      { client_pubkey: '' },
      { client_pubkey: 'AAAA' },
      { client_pubkey, format: 'csv' },
    ])
      expectFailure(await ask(body), 400)
  })

  test('its context is public', async () => {
    const terminal = newTerminal()
    const path = await newRequest(terminal, { bundle_id: bundle, template_keys: [names.open] })
    const answer = await anyone().get(`${path}/context`)
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { cli_pubkey: terminal.publicKey, suggested_bundle_id: bundle, template_keys: [names.open] },
    ])
    expect(answer.json).toHaveProperty('requester_meta', expect.any(Object))
  })

  test('the approver sees their bundles, with masked values', async () => {
    const path = await newRequest()
    const listed = await caller.get(`${path}/bundles`)
    const own = { id: bundle, name: bundleName, description: 'of tests' }
    expect([listed.status, listed.json]).toEqual([
      200,
      expect.arrayContaining([expect.objectContaining(own)]),
    ])
    const shown = await caller.get(`${path}/bundles/${bundle}`)
    const items = [
      { key: names.secret, value: '*****', is_secret: true },
      { key: names.open, is_secret: false },
    ]
    expect([shown.status, shown.json]).toMatchObject([200, { ...own, items }])
    expectFailure(await caller.get(`${path}/bundles/${UNKNOWN}`), 404, 'bundle not found')
  })

  test('approved values are delivered once, sealed to the key of the terminal', async () => {
    const terminal = newTerminal()
    const path = await newRequest(terminal)
    const include_keys = [names.secret, names.open]
    const approved = await approve(path, { bundle_id: bundle, include_keys })
    expect([approved.status, approved.json]).toMatchObject([200, { ok: true }])
    const ready = await wait(path)
    expect([ready.status, ready.json]).toMatchObject([200, { status: 'ready' }])
    const values = terminal.open(textOf(ready, 'ciphertext_base64'))
    expect(values).toEqual({ [names.secret]: 'välue "1"\n', [names.open]: '' })
    expectFailure(await wait(path), 404, GONE)
    expectFailure(await anyone().get(`${path}/context`), 404, GONE)
  })

  test('a terminal that waits gets the values as soon as they are approved', async () => {
    const terminal = newTerminal()
    const path = await newRequest(terminal)
    const waiting = wait(path)
    await expect
      .poll(() => approve(path, { bundle_id: bundle, include_keys: [names.open] }))
      .toMatchObject({ status: 200 })
    expect(terminal.open(textOf(await waiting, 'ciphertext_base64'))).toEqual({ [names.open]: '' })
  })

  test('an approval of keys that are not there is 400, and of a bundle that is not there 404', async () => {
    const path = await newRequest()
    const other = await caller.post('/api/v1/keys', { name: newName('DETACHED'), value: 'x' })
    for (const include_keys of [undefined, [], ['NO_SUCH_KEY'], [names.open, textOf(other, 'name')], 'all'])
      expectFailure(await approve(path, { bundle_id: bundle, include_keys }), 400)
    expectFailure(await approve(path, { include_keys: [names.open] }), 400)
    const unknown = { bundle_id: UNKNOWN, include_keys: [names.open] }
    expectFailure(await approve(path, unknown), 404, 'bundle not found')
    expect((await approve(path, { bundle_id: bundle, include_keys: [names.open] })).status).toBe(200)
  })

  test('an approval that is too large is 413', async () => {
    const path = await newRequest()
    const large = textOf(await caller.post('/api/v1/bundles', { name: newName('large') }), 'id')
    const entries = Array.from({ length: 20 }, (_, index) => [`LARGE_${index}`, 'x'.repeat(60_000)])
    const data: Record<string, string> = Object.fromEntries(entries)
    await caller.post(`/api/v1/bundles/${large}/import`, { format: 'json', data })
    expectFailure(await approve(path, { bundle_id: large, include_keys: Object.keys(data) }), 413)
  })

  test('an unknown request is 404', async () => {
    const path = '/api/v1/requests/no-such-request'
    expectFailure(await wait(path), 404, GONE)
    expectFailure(await anyone().get(`${path}/context`), 404, GONE)
    expectFailure(await caller.get(`${path}/bundles`), 404, GONE)
    expectFailure(await caller.get(`${path}/bundles/${bundle}`), 404, GONE)
    expectFailure(await approve(path, { bundle_id: bundle, include_keys: [names.open] }), 404, GONE)
  })

  test('polling faster than every 3 seconds is 429', async () => {
    const path = await newRequest()
    // Either call may arrive first; the other one is refused.
    const calls = new AbortController()
    const poll = () =>
      anyone()
        .get(`${path}/wait`, { from: newAddress(), signal: calls.signal })
        .catch(() => null)
    const refused = await Promise.race([poll(), poll()])
    calls.abort()
    if (!refused) throw new Error('a call broke')
    expectFailure(refused, 429, 'Too many requests')
    expectRetryAfter(refused)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3)
  })

  test('the development endpoint is closed', async () => {
    const path = await newRequest()
    expectFailure(await anyone().call('PUT', `${path}/payload`, { body: { ciphertext_base64: 'AAAA' } }), 403)
  })
}
