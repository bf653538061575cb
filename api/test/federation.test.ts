import { createHash, createHmac, randomUUID } from 'node:crypto'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { exportJWK, generateKeyPair as generateSigningKey, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import github from './claims/github.json' with { type: 'json' }
import gitlab from './claims/gitlab.json' with { type: 'json' }
import kubernetes from './claims/kubernetes.json' with { type: 'json' }
import { Issuer } from './issuer.ts'
import {
  eventsOf,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'

const AUDIENCE = 'https://keyferry.example.com'
const DISCOVERY = '/.well-known/openid-configuration'

describe.each(databases)('federation on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: TestBundle
  let calls = 0
  const issuer = new Issuer()
  const epoch = Date.parse('2026-06-01T00:00:00Z')
  let clockMs = epoch
  const seconds = () => Math.floor(clockMs / 1_000)
  beforeAll(async () => {
    await issuer.start()
    api = await startTestApi(kind, {
      now: () => new Date(clockMs),
      trustProxy: ['127.0.0.1'],
      privateTargets: ['127.0.0.1/32'],
    })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { VALUE: randomUUID() })
  })
  afterAll(async () => {
    issuer.stop()
    await api.close()
  })

  const trusted = async (draft: object, machine?: TestMachine) => {
    const trusting = machine ?? (await newMachine(api, owner))
    await grant(api, owner, { machine: trusting, bundle })
    const params = { machine_id: trusting.id }
    const trust = await api.call('createMachineTrust', { as: owner, params, body: draft })
    expect([trust.status, trust.failure]).toEqual([201, null])
    return { machine: trusting, trust: trust.json }
  }

  const pasted = (fixture: { issuer: string }, claims: Record<string, string[]>) => ({
    issuer: fixture.issuer,
    keys: issuer.jwks,
    claims,
  })

  /** One delivery by a token, which gets the client's key to be bound to. */
  const present = async (machineId: string | undefined, tokenFor: (bound: string) => Promise<string>) => {
    const keyPair = generateKeyPair()
    const hash = createHash('sha256').update(keyPair.publicKey).digest('base64url')
    const token = await tokenFor(`${AUDIENCE}/key/${hash}`)
    calls += 1
    const answer = await api.call('createDelivery', {
      body: {
        client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
        bundle_id: bundle.id,
        ...(machineId === undefined ? {} : { machine_id: machineId }),
      },
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': `10.${calls >> 8}.${calls & 255}.1` },
    })
    if (answer.status !== 200) return answer.failure?.code ?? answer.text
    const box = Buffer.from(answer.json.ciphertext_base64, 'base64')
    return JSON.parse(new TextDecoder().decode(open(box, keyPair)))
  }

  const times = () => ({ iat: seconds(), nbf: seconds(), exp: seconds() + 300 })
  const ofGitHub = (aud: string): JWTPayload => ({ ...github.claims, ...times(), iss: github.issuer, aud })
  const signed = (bound: string) => issuer.sign(ofGitHub(bound))
  const ofIssuer = () => ({ iss: issuer.url, aud: AUDIENCE, sub: 'job', ...times() })
  const trustInIssuer = () => ({ issuer: issuer.url, claims: { sub: ['job'] } })
  const trustInGitHub = () => pasted(github, { repository_id: ['74'], environment: ['prod'] })

  test.each([
    ['GitHub', github, { repository_id: ['74'], environment: ['prod'] }, true],
    ['GitHub by ref', github, { repository_id: ['74'], ref: ['refs/heads/*'] }, true],
    ['GitLab', gitlab, { project_id: ['20'], ref: ['feature-branch-1'], ref_protected: ['false'] }, false],
    ['Kubernetes', kubernetes, { sub: [kubernetes.claims.sub] }, false],
  ])('a token as %s makes it delivers, and its use is noted', async (_name, fixture, claims, isBound) => {
    const { machine } = await trusted(pasted(fixture, claims))
    const token = (bound: string) =>
      issuer.sign({ ...fixture.claims, ...times(), iss: fixture.issuer, aud: isBound ? bound : AUDIENCE })
    expect(await present(machine.id, token)).toEqual(bundle.values)
    const { trusts } = (await api.call('getMachine', { as: owner, params: { machine_id: machine.id } })).json
    expect(trusts[0]?.last_used_at).toBe(new Date(clockMs).toISOString())
    const [event] = await eventsOf(api, owner, 'delivery.machine')
    expect(event).toMatchObject({ actor: { id: machine.id }, data: { trust: trusts[0]?.id } })
  })

  /** What a forger or a careless issuer makes of an honest token. */
  const MUTATIONS: readonly [
    name: string,
    change: (claims: JWTPayload, bound: string) => JWTPayload,
    code: string,
  ][] = [
    ['unbound', (c) => ({ ...c, aud: AUDIENCE }), 'token_not_bound'],
    ['for another service', (c) => ({ ...c, aud: 'sts.amazonaws.com' }), 'identity_not_trusted'],
    ['for two services', (c, bound) => ({ ...c, aud: [bound, 'other'] }), 'identity_not_trusted'],
    ['for another service in a list', (c) => ({ ...c, aud: ['other'] }), 'identity_not_trusted'],
    ['for a longer audience', (c, bound) => ({ ...c, aud: `${bound}x` }), 'identity_not_trusted'],
    ['for a shorter audience', (c) => ({ ...c, aud: AUDIENCE.slice(0, -1) }), 'identity_not_trusted'],
    ['for the audience with a slash', (c) => ({ ...c, aud: `${AUDIENCE}/` }), 'identity_not_trusted'],
    [
      'bound to another key',
      (c) => ({ ...c, aud: `${AUDIENCE}/key/${'A'.repeat(43)}` }),
      'identity_not_trusted',
    ],
    ['bound to no key', (c) => ({ ...c, aud: `${AUDIENCE}/key/` }), 'identity_not_trusted'],
    ['without an audience', (c) => without(c, 'aud'), 'identity_not_trusted'],
    ['of another issuer', (c) => ({ ...c, iss: 'https://issuer.example.com' }), 'unauthorized'],
    ['of a longer issuer', (c) => ({ ...c, iss: `${github.issuer}/` }), 'unauthorized'],
    ['of an issuer in capitals', (c) => ({ ...c, iss: github.issuer.toUpperCase() }), 'unauthorized'],
    ['of an issuer with a suffix', (c) => ({ ...c, iss: `${github.issuer}.example.com` }), 'unauthorized'],
    ['without an issuer', (c) => without(c, 'iss'), 'unauthorized'],
    ['expired 90 s ago', (c) => ({ ...c, exp: seconds() - 90 }), 'token_expired'],
    ['without an expiry', (c) => without(c, 'exp'), 'unauthorized'],
    ['valid in 90 s', (c) => ({ ...c, nbf: seconds() + 90 }), 'unauthorized'],
    ['made in 90 s', (c) => ({ ...c, iat: seconds() + 90 }), 'unauthorized'],
    ['without a time of making', (c) => without(c, 'iat'), 'unauthorized'],
    ['that is valid for 25 hours', (c) => ({ ...c, exp: seconds() + 90_000 }), 'identity_not_trusted'],
    ['without a subject', (c) => without(c, 'sub'), 'unauthorized'],
    [
      'with a subject alone',
      ({ iss = '', aud = '', iat = 0, exp = 0, sub = '' }) => ({ iss, aud, iat, exp, sub }),
      'identity_not_trusted',
    ],
    ['of another repository', (c) => ({ ...c, repository_id: '75' }), 'identity_not_trusted'],
    [
      'of a repository whose id has the same beginning',
      (c) => ({ ...c, repository_id: '740' }),
      'identity_not_trusted',
    ],
    ['with a blank in the id', (c) => ({ ...c, repository_id: '74 ' }), 'identity_not_trusted'],
    ['with a zero before the id', (c) => ({ ...c, repository_id: '074' }), 'identity_not_trusted'],
    ['with the id in a list', (c) => ({ ...c, repository_id: ['74'] }), 'identity_not_trusted'],
    ['with the id in an object', (c) => ({ ...c, repository_id: { id: '74' } }), 'identity_not_trusted'],
    ['with a fraction as the id', (c) => ({ ...c, repository_id: 74.5 }), 'identity_not_trusted'],
    ['without a repository id', (c) => without(c, 'repository_id'), 'identity_not_trusted'],
    ['of a repository of the same name', (c) => ({ ...c, repository_id: '99' }), 'identity_not_trusted'],
    ['of another environment', (c) => ({ ...c, environment: 'staging' }), 'identity_not_trusted'],
    ['of an environment in capitals', (c) => ({ ...c, environment: 'PROD' }), 'identity_not_trusted'],
    [
      'of an environment whose name has the same beginning',
      (c) => ({ ...c, environment: 'prod-evil' }),
      'identity_not_trusted',
    ],
    ['with a pattern as the environment', (c) => ({ ...c, environment: '*' }), 'identity_not_trusted'],
    ['with environments in a list', (c) => ({ ...c, environment: ['prod'] }), 'identity_not_trusted'],
    ['with null as the environment', (c) => ({ ...c, environment: null }), 'identity_not_trusted'],
    ['with true as the environment', (c) => ({ ...c, environment: true }), 'identity_not_trusted'],
    ['without an environment', (c) => without(c, 'environment'), 'identity_not_trusted'],
    [
      'of a pull request',
      (c) => ({
        ...without(c, 'environment'),
        sub: 'repo:octo-org/octo-repo:pull_request',
        event_name: 'pull_request',
      }),
      'identity_not_trusted',
    ],
    [
      'of a pull request of a stranger',
      (c) => ({ ...c, event_name: 'pull_request_target' }),
      'identity_not_trusted',
    ],
  ]

  test.each(MUTATIONS)('a token %s is refused, and the refusal is an event', async (_name, change, code) => {
    const { machine } = await trusted(trustInGitHub())
    expect(await present(machine.id, (bound) => issuer.sign(change(ofGitHub(bound), bound)))).toBe(code)
    await expect
      .poll(async () =>
        (await eventsOf(api, owner, 'delivery.refused')).map(({ target, data }) => [target.id, data]),
      )
      .toContainEqual([machine.id, { reason: code, count: 1 }])
  })

  const HONEST: readonly [name: string, change: (claims: JWTPayload, bound: string) => JWTPayload][] = [
    ['whose issuer is 5 s ahead', (c) => ({ ...c, iat: seconds() + 5, nbf: seconds() + 5 })],
    ['that expired 30 s ago', (c) => ({ ...c, exp: seconds() - 30 })],
    ['with its audience as a list of one', (c, bound) => ({ ...c, aud: [bound] })],
    ['with its id as a number', (c) => ({ ...c, repository_id: 74 })],
    [
      'with another form of subject',
      (c) => ({ ...c, sub: 'repository_owner_id:65:repository_id:74:environment:prod' }),
    ],
    ['with unknown claims', (c) => ({ ...c, more: { deep: [1] } })],
  ]

  test.each(HONEST)('a token %s delivers', async (_name, change) => {
    const { machine } = await trusted(trustInGitHub())
    const token = (bound: string) => issuer.sign(change(ofGitHub(bound), bound))
    expect(await present(machine.id, token)).toEqual(bundle.values)
  })

  /** Texts that are no valid token of the issuer, made from an honest one. */
  const FORGERIES: readonly [name: string, forge: (claims: JWTPayload) => Promise<string>][] = [
    ['that is not signed', async (c) => `${part({ alg: 'none', typ: 'JWT' })}.${part(c)}.`],
    [
      'that is not signed, with a third part',
      async (c) => `${part({ alg: 'none', typ: 'JWT' })}.${part(c)}.AA`,
    ],
    ['signed with the public key as a secret', (c) => withHmac(c, JSON.stringify(issuer.jwks.keys[0]))],
    ['signed with the modulus as a secret', (c) => withHmac(c, String(issuer.jwks.keys[0]?.['n']))],
    ['signed by another key of the same id', (c) => withOwnKey(c, 'RS256', {})],
    ['signed by another algorithm', (c) => withOwnKey(c, 'ES256', {})],
    ['that brings its key', async (c) => withOwnKey(c, 'RS256', { jwk: await someJwk() })],
    ['that names where its key is', (c) => withOwnKey(c, 'RS256', { jku: `${issuer.url}/keys` })],
    ['of an unknown key id', (c) => issuer.sign(c, { kid: 'unknown' })],
    ['of another type', (c) => issuer.sign(c, { typ: 'at+jwt' })],
    [
      'with a changed payload',
      async (c) => changed(await issuer.sign(c), { ...c, environment: 'prod', x: 1 }),
    ],
    ['with a cut signature', async (c) => (await issuer.sign(c)).slice(0, -8)],
    ['without a signature', async (c) => (await issuer.sign(c)).replace(/[^.]+$/, '')],
    ['with a fourth part', async (c) => `${await issuer.sign(c)}.AA`],
    ['with padding', async (c) => `${await issuer.sign(c)}=`],
    ['that is too long', (c) => issuer.sign({ ...c, filler: 'x'.repeat(9_000) })],
    ['whose payload is a list', async (c) => changed(await issuer.sign(c), [])],
    ['whose payload is no JSON', async (c) => (await issuer.sign(c)).replace(/\.[^.]+\./, '.e30x.')],
  ]

  test.each(FORGERIES)('a token %s is refused as any other text', async (_name, forge) => {
    const { machine } = await trusted(trustInGitHub())
    expect(await present(machine.id, (bound) => forge(ofGitHub(bound)))).toBe('unauthorized')
  })

  test.each(['unknown', 'absent', "another workspace's"])(
    'the id of a machine that is %s gets the same refusal',
    async (which) => {
      await trusted(trustInGitHub())
      const stranger = await api.newOwner()
      const theirs = await newMachine(api, stranger)
      const id = which === 'unknown' ? randomUUID() : which === 'absent' ? undefined : theirs.id
      const code = await present(id, (bound) => issuer.sign({ ...ofGitHub(bound), iss: kubernetes.issuer }))
      expect(code).toBe('unauthorized')
    },
  )

  test('a stopped machine and an ended trust deliver nothing', async () => {
    const { machine, trust } = await trusted(trustInGitHub())
    const params = { machine_id: machine.id, trust_id: trust.id }
    await api.call('updateMachine', { as: owner, params, body: { is_active: false } })
    expect(await present(machine.id, signed)).toBe('machine_inactive')
    await api.call('updateMachine', { as: owner, params, body: { is_active: true } })
    await trusted({ ...trustInGitHub(), claims: { repository_id: ['1'], environment: ['x'] } }, machine)
    expect((await api.call('endMachineTrust', { as: owner, params })).status).toBe(200)
    expect(await present(machine.id, signed)).toBe('identity_not_trusted')
    expect(await eventsOf(api, owner, 'trust.ended')).toMatchObject([{ data: { trust: trust.id } }])
  })

  test('after the acknowledged end of a trust nothing is delivered', async () => {
    const { machine, trust } = await trusted(trustInGitHub())
    await trusted({ ...trustInGitHub(), claims: { repository_id: ['1'], environment: ['x'] } }, machine)
    const params = { machine_id: machine.id, trust_id: trust.id }
    let isEnded = false
    const late: unknown[] = []
    const lines = Array.from({ length: 6 }, async () => {
      for (let call = 0; call < 10; call += 1) {
        const begunAfterEnd = isEnded
        const outcome = await present(machine.id, signed)
        if (begunAfterEnd) late.push(outcome)
      }
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await api.call('endMachineTrust', { as: owner, params })).status).toBe(200)
    isEnded = true
    await Promise.all(lines)
    expect(new Set(late)).toEqual(new Set(['identity_not_trusted']))
  })

  test('an ID token makes no other call', async () => {
    const token = await issuer.sign(ofGitHub(AUDIENCE))
    const headers = { authorization: `Bearer ${token}` }
    expectError(await api.call('getOwnMachine', { headers }), 401, 'Unauthorized')
    expectError(await api.call('listBundles', { headers }), 401, 'Unauthorized')
  })

  test('a refusal names the claims that differ and their values, never the expected ones', async () => {
    const { machine } = await trusted({
      ...trustInGitHub(),
      claims: { repository_id: ['74'], environment: ['hidden-name'] },
    })
    const publicKey = generateKeyPair().publicKey
    const hash = createHash('sha256').update(publicKey).digest('base64url')
    const token = await issuer.sign(ofGitHub(`${AUDIENCE}/key/${hash}`))
    const answer = await api.call('createDelivery', {
      body: {
        client_pubkey: Buffer.from(publicKey).toString('base64'),
        bundle_id: bundle.id,
        machine_id: machine.id,
      },
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.failure?.details).toMatchObject({ differs: ['environment'], seen: { environment: 'prod' } })
    expect(answer.text).not.toContain('hidden-name')
  })

  test('an attempt is listed, and allowed by the selected claims', async () => {
    const { machine } = await trusted({
      ...trustInGitHub(),
      claims: { repository_id: ['1'], environment: ['x'] },
    })
    const params = { machine_id: machine.id }
    for (let call = 0; call < 3; call += 1) await present(machine.id, signed)
    await present(machine.id, () => issuer.sign(ofGitHub('sts.amazonaws.com')))
    const { json: attempts } = await api.call('listMachineAttempts', { as: owner, params })
    expect(attempts).toMatchObject([
      {
        issuer: github.issuer,
        claims: { repository: 'octo-org/octo-repo', repository_id: '74', environment: 'prod' },
        suggested: ['repository_id', 'environment'],
        is_bound: true,
        times: 3,
      },
    ])
    const place = { ...params, fingerprint: attempts[0]?.fingerprint ?? '' }
    const tooBroad = await api.call('allowMachineAttempt', {
      as: owner,
      params: place,
      body: { claims: ['repository_id'] },
    })
    expect([tooBroad.status, tooBroad.failure?.code]).toEqual([400, 'trust_too_broad'])
    // The trust of an attempt takes its keys by discovery; these were pasted, so the test pastes them again.
    const body = { claims: attempts[0]?.suggested }
    const allowed = await api.call('allowMachineAttempt', { as: owner, params: place, body })
    const rules = { repository_id: ['74'], environment: ['prod'] }
    expect(allowed.json).toMatchObject({ claims: rules, binding: 'required', audience: AUDIENCE })
    await trusted({ ...trustInGitHub(), claims: rules }, machine)
    expect(await present(machine.id, signed)).toEqual(bundle.values)
    const left = await api.call('listMachineAttempts', { as: owner, params })
    expect(left.json).toEqual([])
  })

  test('a dismissed attempt comes back with its next call', async () => {
    const { machine } = await trusted({
      ...trustInGitHub(),
      claims: { repository_id: ['1'], environment: ['x'] },
    })
    const params = { machine_id: machine.id }
    const attempts = async () => (await api.call('listMachineAttempts', { as: owner, params })).json
    const counted = async () => (await api.call('getMachine', { as: owner, params })).json.attempts
    await present(machine.id, signed)
    const [attempt] = await attempts()
    expect(await counted()).toBe(1)
    const place = { ...params, fingerprint: attempt?.fingerprint ?? '' }
    const dismiss = async () => (await api.call('dismissMachineAttempt', { as: owner, params: place })).status
    expect([await dismiss(), await dismiss()]).toEqual([200, 404])
    expect([await attempts(), await counted()]).toEqual([[], 0])
    await present(machine.id, signed)
    expect(await counted()).toBe(1)
  })

  test('five new identities a minute are kept, and ten in all', async () => {
    const { machine } = await trusted({
      ...trustInGitHub(),
      claims: { repository_id: ['1'], environment: ['x'] },
    })
    const knock = (from: number) =>
      present(machine.id, (bound) => issuer.sign({ ...ofGitHub(bound), repository_id: String(1_000 + from) }))
    const kept = async () =>
      (await api.call('listMachineAttempts', { as: owner, params: { machine_id: machine.id } })).json.length
    for (let at = 0; at < 7; at += 1) await knock(at)
    expect(await kept()).toBe(5)
    for (let minute = 1; minute < 4; minute += 1) {
      clockMs += 61_000
      for (let at = 0; at < 4; at += 1) await knock(minute * 10 + at)
    }
    expect(await kept()).toBe(10)
  })

  test.each([
    [{ repository_id: ['1'] }, ['environment, ref or job_workflow_ref']],
    [{ environment: ['prod'] }, ['repository_id']],
    [{ repository: ['a/b'], ref: ['refs/heads/main'] }, ['repository_id']],
    [{ sub: ['repo:a/b:ref:refs/heads/main'] }, ['repository_id', 'environment, ref or job_workflow_ref']],
  ])('a trust in GitHub by %j is too broad', async (claims, missing) => {
    const machine = await newMachine(api, owner)
    const body = { issuer: github.issuer, claims }
    const params = { machine_id: machine.id }
    const answer = await api.call('createMachineTrust', { as: owner, params, body })
    expect([answer.status, answer.failure?.code, answer.failure?.details]).toEqual([
      400,
      'trust_too_broad',
      { missing },
    ])
    const broad = await api.call('createMachineTrust', { as: owner, params, body: { ...body, broad: true } })
    expect([broad.status, broad.json.is_broad]).toEqual([201, true])
  })

  test.each([
    ['a pattern', { claims: { repository_id: ['74'], environment: ['prod-*'] } }, 400],
    ['a star alone', { claims: { repository_id: ['74'], ref: ['/*'] } }, 400],
    ['the audience as a claim', { claims: { repository_id: ['74'], environment: ['p'], aud: ['x'] } }, 400],
    ['no claims', { claims: {} }, 400],
    ['an empty list', { claims: { repository_id: [], environment: ['p'] } }, 400],
    ['an issuer in a private network', { issuer: 'https://10.0.0.1', claims: { sub: ['a'] } }, 400],
    ['an issuer without encryption', { issuer: 'http://issuer.example.com', claims: { sub: ['a'] } }, 400],
  ])('a trust with %s is refused', async (_what, draft, status) => {
    const machine = await newMachine(api, owner)
    const body = { issuer: github.issuer, ...draft }
    const answer = await api.call('createMachineTrust', {
      as: owner,
      params: { machine_id: machine.id },
      body,
    })
    expect(answer.status).toBe(status)
  })

  describe('by discovery', () => {
    test('keys are fetched once, again for a new key, and serve an hour after the issuer fails', async () => {
      const { machine } = await trusted(trustInIssuer())
      const call = () => present(machine.id, () => issuer.sign(ofIssuer()))
      await Promise.all([call(), call(), call()])
      expect(await call()).toEqual(bundle.values)
      expect(issuer.asked).toEqual([DISCOVERY, '/keys'])
      await issuer.rotate('second')
      expect(await call()).toBe('unauthorized')
      clockMs += 31_000
      expect(await call()).toEqual(bundle.values)
      issuer.knobs.set('/keys', (response) => void response.writeHead(500).end())
      clockMs += 11 * 60_000
      expect(await call()).toEqual(bundle.values)
      clockMs += 61 * 60_000
      expect(await call()).toBe('issuer_unavailable')
      issuer.knobs.clear()
      clockMs += 31_000
      expect(await call()).toEqual(bundle.values)
    })

    test.each([
      ['names another issuer', DISCOVERY, () => (issuer.namesItself = 'https://other.example.com')],
      [
        'answers 500',
        DISCOVERY,
        () => issuer.knobs.set(DISCOVERY, (response) => void response.writeHead(500).end()),
      ],
      [
        'redirects',
        DISCOVERY,
        () =>
          issuer.knobs.set(
            DISCOVERY,
            (response) => void response.writeHead(302, { location: `${issuer.url}/keys` }).end(),
          ),
      ],
      [
        'answers without end',
        '/keys',
        () => issuer.knobs.set('/keys', (response) => void response.end('x'.repeat(1_000_000))),
      ],
      [
        'names keys in a private network',
        DISCOVERY,
        () =>
          issuer.knobs.set(
            DISCOVERY,
            (response) =>
              void response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://127.0.0.2:1/keys' })),
          ),
      ],
      [
        'answers no JSON',
        '/keys',
        () => issuer.knobs.set('/keys', (response) => void response.end('<html>')),
      ],
    ])('an issuer that %s is unavailable', async (_what, _path, turn) => {
      clockMs += 3 * 60 * 60_000
      turn()
      const { machine } = await trusted(trustInIssuer())
      expect(await present(machine.id, () => issuer.sign(ofIssuer()))).toBe('issuer_unavailable')
      issuer.knobs.clear()
      issuer.namesItself = null
    })

    test('an issuer that no trust names is never asked', async () => {
      const { machine } = await trusted(trustInGitHub())
      issuer.asked.length = 0
      expect(await present(machine.id, () => issuer.sign(ofIssuer()))).toBe('unauthorized')
      expect(issuer.asked).toEqual([])
    })
  })

  async function withHmac(claims: JWTPayload, secret: string): Promise<string> {
    const text = `${part({ alg: 'HS256', typ: 'JWT', kid: String(issuer.jwks.keys[0]?.['kid']) })}.${part(claims)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  async function withOwnKey(claims: JWTPayload, alg: string, header: object): Promise<string> {
    const { privateKey } = await generateSigningKey(alg)
    const kid = String(issuer.jwks.keys[0]?.['kid'])
    return new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid, ...header }).sign(privateKey)
  }
})

function without(claims: JWTPayload, name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name))
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function changed(token: string, payload: unknown): string {
  const [header, , signature] = token.split('.')
  return `${header}.${part(payload)}.${signature}`
}

async function someJwk() {
  return exportJWK((await generateSigningKey('RS256', { extractable: true })).publicKey)
}
