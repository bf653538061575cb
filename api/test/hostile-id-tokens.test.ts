import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identity, startTestApi, type TestApi } from './api.ts'
import github from './claims/github.json' with { type: 'json' }
import { ForeignIssuer } from './foreign-issuer.ts'
import { AUDIENCE, CARELESS, type Case, type Claims, FORGED, keyOf, withBound } from './id-token-forgeries.ts'
import {
  eventsOf,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'

/*
 * Tokens of `oidc-provider`, an issuer that was not written here, and forgeries of them. Which database records the
 * refusals makes no difference to what is refused, so these run on one.
 */

let api: TestApi
let owner: Identity
let bundle: TestBundle
let machine: TestMachine
let issuer: ForeignIssuer
let calls = 0

beforeAll(async () => {
  issuer = await ForeignIssuer.start(AUDIENCE)
  api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], privateTargets: ['127.0.0.1/32'] })
  owner = await api.newOwner()
  bundle = await newBundle(api, owner, { VALUE: 'delivered' })
  machine = await trusting({
    issuer: issuer.url,
    claims: { sub: ['job'], repository_id: ['74'], environment: ['prod'] },
  })
})

afterAll(async () => {
  issuer.stop()
  await api.close()
})

async function trusting(draft: object): Promise<TestMachine> {
  const made = await newMachine(api, owner)
  await grant(api, owner, { machine: made, bundle })
  const trust = await api.call('createMachineTrust', {
    as: owner,
    params: { machine_id: made.id },
    body: draft,
  })
  expect(trust.failure).toBe(null)
  return made
}

/** One delivery by a token, from a fresh address. */
async function present(machineId: string, forge: Case[1], claims: Claims = {}) {
  const keyPair = generateKeyPair()
  const bound = `${AUDIENCE}/key/${keyOf(keyPair.publicKey)}`
  const seconds = Math.floor(Date.now() / 1_000)
  const times = { iat: seconds, nbf: seconds, exp: seconds + 300 }
  const honest = {
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'job',
    ...times,
    repository_id: '74',
    environment: 'prod',
  }
  const token = await forge({ issuer, claims: { ...honest, ...claims }, bound })
  calls += 1
  const answer = await api.call('createDelivery', {
    body: {
      client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
      bundle_id: bundle.id,
      machine_id: machineId,
    },
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': `10.${calls >> 8}.${calls & 255}.1` },
  })
  if (answer.status !== 200) return { status: answer.status, ...answer.failure }
  return JSON.parse(
    Buffer.from(open(Buffer.from(answer.json.ciphertext_base64, 'base64'), keyPair)).toString(),
  )
}

test.each([
  ['that the issuer makes', ({ issuer: maker, claims }) => maker.idToken(claims)],
  ['that is bound', withBound((bound) => bound)],
  ['that is bound, in a list of one', withBound((bound) => [bound])],
] satisfies Case[])('a token %s delivers', async (_name, forge) => {
  expect(await present(machine.id, forge)).toEqual(bundle.values)
})

test.each(FORGED)('a token %s is refused as any other text', async (_name, forge) => {
  expect(await present(machine.id, forge)).toMatchObject({ status: 401, code: 'unauthorized' })
})

test.each(CARELESS)('a token %s is refused: %s differs', async (_name, differs, forge) => {
  const answer = await present(machine.id, forge)
  expect(answer).toMatchObject({ status: 403, code: 'identity_not_trusted', details: { differs: [differs] } })
})

test('there are 60 of them, and each refusal is in the audit log', async () => {
  expect(FORGED.length + CARELESS.length).toBeGreaterThanOrEqual(60)
  const recorded = async (reason: string) => {
    const query = { action: 'delivery.refused', limit: '200' }
    const events = (await api.call('listAudit', { as: owner, query })).json
    const ours = events.filter(({ target, data }) => target.id === machine.id && data['reason'] === reason)
    return ours.reduce((sum, { data }) => sum + Number(data['count']), 0)
  }
  await expect.poll(() => recorded('unauthorized')).toBe(FORGED.length)
  await expect.poll(() => recorded('identity_not_trusted')).toBe(CARELESS.length)
  expect((await eventsOf(api, owner, 'delivery.machine')).length).toBe(3)
})

const trustIn = (claims: Record<string, string[]>, more: object = {}) =>
  trusting({ issuer: github.issuer, keys: keySet(), claims, ...more })

const job = (machineId: string, changes: Claims) =>
  present(
    machineId,
    withBound((bound) => bound),
    { ...github.claims, iss: github.issuer, ...changes },
  )

describe('GitHub', () => {
  // Source: docs.github.com, "OpenID Connect reference": the default form, the form with ids, and a customised one.
  const SUBJECTS = [
    'repo:octo-org/octo-repo:environment:prod',
    'repo:octo-org@65/octo-repo@74:environment:prod',
    'repository_owner_id:65:repository_id:74:environment:prod',
  ]
  test('a trust by ids takes each form of the subject', async () => {
    const { id } = await trustIn({ repository_id: ['74'], environment: ['prod'] })
    for (const sub of SUBJECTS) expect(await job(id, { sub })).toEqual(bundle.values)
  })

  test('a trust by one form of the subject takes no other, nor a part of it', async () => {
    const [short = '', long = '', custom] = SUBJECTS
    const { id } = await trustIn({ sub: [short] }, { broad: true })
    expect(await job(id, { sub: short })).toEqual(bundle.values)
    for (const sub of [long, custom, `${short}-evil`, short.slice(0, -1), short.replace('-repo', '-repo2')])
      expect(await job(id, { sub })).toMatchObject({ details: { differs: ['sub'] } })
  })

  test('a path of refs takes what lies below it', async () => {
    const { id } = await trustIn({ repository_id: ['74'], ref: ['refs/heads/release/*'] })
    expect(await job(id, { ref: 'refs/heads/release/2.1' })).toEqual(bundle.values)
    const others = [
      'refs/heads/release/',
      'refs/heads/release',
      'refs/heads/releases/1',
      'refs/tags/release/1',
    ]
    for (const ref of [...others, 'x/refs/heads/release/1', ['refs/heads/release/1'], 'refs/pull/7/merge'])
      expect(await job(id, { ref })).toMatchObject({ details: { differs: ['ref'] } })
  })
})

function keySet(): { keys: object[] } {
  return {
    keys: [{ ...issuer.publicKey.export({ format: 'jwk' }), kid: issuer.kid, alg: 'RS256', use: 'sig' }],
  }
}
