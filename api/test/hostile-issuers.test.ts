import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { exportJWK, generateKeyPair as generateSigningKey } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Identity, startTestApi, type TestApi } from './api.ts'
import { encoded } from './foreign-issuer.ts'
import { Issuer } from './issuer.ts'
import { fetchValues, grant, newBundle, newMachine, type TestBundle } from './machine-client.ts'

const AUDIENCE = 'https://keyferry.example.com'
const DISCOVERY = '/.well-known/openid-configuration'

let api: TestApi
let owner: Identity
let bundle: TestBundle
let calls = 0
const issuers: Issuer[] = []

beforeAll(async () => {
  api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], privateTargets: ['127.0.0.1/32'] })
  owner = await api.newOwner()
  bundle = await newBundle(api, owner, { VALUE: randomUUID() })
})

afterAll(async () => {
  for (const issuer of issuers) issuer.stop()
  await api.close()
})

/** A new issuer, and a machine that trusts it. */
async function newIssuer(): Promise<{ issuer: Issuer; machineId: string }> {
  const issuer = new Issuer()
  await issuer.start()
  issuers.push(issuer)
  const machine = await newMachine(api, owner)
  await grant(api, owner, { machine, bundle })
  const trust = { issuer: issuer.url, claims: { sub: ['job'] } }
  const params = { machine_id: machine.id }
  expect((await api.call('createMachineTrust', { as: owner, params, body: trust })).status).toBe(201)
  return { issuer, machineId: machine.id }
}

function claimsOf(issuer: Issuer) {
  const seconds = Math.floor(Date.now() / 1_000)
  return { iss: issuer.url, aud: AUDIENCE, sub: 'job', iat: seconds, exp: seconds + 300 }
}

async function present(machineId: string, token: string): Promise<string> {
  calls += 1
  const answer = await api.call('createDelivery', {
    body: {
      client_pubkey: Buffer.from(generateKeyPair().publicKey).toString('base64'),
      bundle_id: bundle.id,
      machine_id: machineId,
    },
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': `10.9.${calls}.1` },
  })
  return answer.failure?.code ?? 'delivered'
}

const answers = (body: unknown) => (response: ServerResponse) =>
  void response.end(typeof body === 'string' ? body : JSON.stringify(body))

const aKey = async (kid: string) => {
  const { publicKey } = await generateSigningKey('ES256', { extractable: true })
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }
}
const others = await Promise.all(Array.from({ length: 200 }, (_, at) => aKey(`other-${at}`)))

/** The key set of an issuer from its honest keys, and what becomes of its honest token. */
const KEY_SETS: readonly (readonly [name: string, setOf: (own: object) => unknown, outcome: string])[] = [
  ['with 199 other keys before its own', (own) => ({ keys: [...others.slice(1), own] }), 'delivered'],
  ['with 201 keys', (own) => ({ keys: [...others, own] }), 'issuer_unavailable'],
  [
    'with a key of the same id before its own',
    (own) => ({ keys: [{ ...otherRsa(), kid: 'first' }, own] }),
    'delivered',
  ],
  ['for encryption', (own) => ({ keys: [{ ...own, use: 'enc' }] }), 'unauthorized'],
  ['for another algorithm', (own) => ({ keys: [{ ...own, alg: 'PS256' }] }), 'unauthorized'],
  ['that is empty', () => ({ keys: [] }), 'unauthorized'],
  ['with a key that is none', () => ({ keys: [{ kty: 'RSA', kid: 'first', n: '', e: '' }] }), 'unauthorized'],
  ['with an object of keys', (own) => ({ keys: { first: own } }), 'issuer_unavailable'],
  ['that is a list', (own) => [own], 'issuer_unavailable'],
]

test.each(KEY_SETS)('a key set %s', async (_name, setOf, outcome) => {
  const { issuer, machineId } = await newIssuer()
  issuer.knobs.set('/keys', answers(setOf(issuer.jwks.keys[0] ?? {})))
  expect(await present(machineId, await issuer.sign(claimsOf(issuer)))).toBe(outcome)
})

test('a token that names no key is tried with each of the issuer', async () => {
  const { issuer, machineId } = await newIssuer()
  issuer.knobs.set('/keys', answers({ keys: [{ ...otherRsa(), kid: 'second' }, ...issuer.jwks.keys] }))
  const token = await issuer.signWithoutKeyId(claimsOf(issuer))
  expect(await present(machineId, token)).toBe('delivered')
  const forged = `${token.slice(0, -8)}AAAAAAAA`
  expect(await present(machineId, forged)).toBe('unauthorized')
})

test('a shared secret in a key set verifies no token', async () => {
  const { issuer, machineId } = await newIssuer()
  const secret = Buffer.alloc(32, 7)
  const shared = { kty: 'oct', kid: 'shared', alg: 'HS256', k: secret.toString('base64url') }
  issuer.knobs.set('/keys', answers({ keys: [shared, ...issuer.jwks.keys] }))
  const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid: 'shared' })}.${encoded(claimsOf(issuer))}`
  const token = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  expect(await present(machineId, token)).toBe('unauthorized')
})

test('a key that can be factored is not used', async () => {
  const { issuer, machineId } = await newIssuer()
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const weak = { ...publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256' }
  issuer.knobs.set('/keys', answers({ keys: [weak] }))
  const text = `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'weak' })}.${encoded(claimsOf(issuer))}`
  const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  expect(await present(machineId, token)).toBe('unauthorized')
})

test.each([
  ['names itself with a slash', (url: string) => ({ issuer: `${url}/`, jwks_uri: `${url}/keys` })],
  ['names a file', (url: string) => ({ issuer: url, jwks_uri: 'file:///etc/hosts' })],
  ['holds its keys', (url: string) => ({ issuer: url, jwks_uri: 'data:application/json,{"keys":[]}' })],
  [
    'names the metadata of a cloud',
    (url: string) => ({ issuer: url, jwks_uri: 'http://169.254.169.254/keys' }),
  ],
  ['names a password', (url: string) => ({ issuer: url, jwks_uri: url.replace('//', '//a:b@') })],
  ['is a list', (url: string) => [{ issuer: url, jwks_uri: `${url}/keys` }]],
])('an issuer whose document %s is unavailable', async (_name, documentOf) => {
  const { issuer, machineId } = await newIssuer()
  issuer.knobs.set(DISCOVERY, answers(documentOf(issuer.url)))
  expect(await present(machineId, await issuer.sign(claimsOf(issuer)))).toBe('issuer_unavailable')
})

test('a call to an issuer that stalls, drips or sends a bomb ends, and other calls do not wait', async () => {
  const holding = await newIssuer()
  holding.issuer.knobs.set(DISCOVERY, () => undefined)
  const dripping = await newIssuer()
  dripping.issuer.knobs.set('/keys', (response) => {
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  })
  const bombing = await newIssuer()
  bombing.issuer.knobs.set('/keys', (response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000, ' ')))
  })
  let hasEnded = false
  const slow = [holding, dripping, bombing].map(async ({ issuer, machineId }) =>
    present(machineId, await issuer.sign(claimsOf(issuer))),
  )
  const ended = Promise.all(slow).finally(() => {
    hasEnded = true
  })
  const machine = await newMachine(api, owner)
  await grant(api, owner, { machine, bundle })
  const { values } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
  expect(values).toEqual(bundle.values)
  expect(hasEnded).toBe(false)
  expect(await ended).toEqual(Array.from(slow, () => 'issuer_unavailable'))
})

function otherRsa(): object {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return { ...publicKey.export({ format: 'jwk' }), alg: 'RS256' }
}
