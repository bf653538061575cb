import { createHash, randomUUID } from 'node:crypto'
import type { MachineAttemptList } from '@keyferry/contract/machines'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { until } from '../../plumbing/test/until.ts'
import { expectError, type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import github from './claims/github.json' with { type: 'json' }
import gitlab from './claims/gitlab.json' with { type: 'json' }
import kubernetes from './claims/kubernetes.json' with { type: 'json' }
import { AUDIENCE, forgeries, honestClaims, wrongClaims } from './federated-tokens.ts'
import { Issuer } from './issuer.ts'
import {
  eventsOf,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'

const DISCOVERY = '/.well-known/openid-configuration'

type Attempt = z.output<typeof MachineAttemptList>[number]

// What an owner sees of an attempt, and allows.
const seen = (attempt: Attempt | undefined, names = attempt?.suggested) => ({
  issuer: attempt?.issuer ?? '',
  claims: Object.fromEntries((names ?? []).map((name) => [name, attempt?.claims[name] ?? ''])),
})

describe.each(oneDatabase)('federation on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: TestBundle
  let calls = 0
  const issuer = new Issuer()
  const epoch = Date.parse('2026-06-01T00:00:00Z')
  let clockMs = epoch
  const seconds = () => Math.floor(clockMs / 1_000)
  const tokenOf = (signer: Issuer, sub: string) => (aud: string) =>
    signer.sign({ iss: 'https://ci.example.com', aud, sub, iat: seconds(), exp: seconds() + 300 })
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

  test.each(wrongClaims(seconds))(
    'a token %s is refused, and the refusal is an event',
    async (_name, change, code) => {
      const { machine } = await trusted(trustInGitHub())
      expect(await present(machine.id, (bound) => issuer.sign(change(ofGitHub(bound), bound)))).toBe(code)
      await expect
        .poll(async () =>
          (await eventsOf(api, owner, 'delivery.refused')).map(({ target, data }) => [target.id, data]),
        )
        .toContainEqual([machine.id, { reason: code, count: 1 }])
    },
  )

  test.each(honestClaims(seconds))('a token %s delivers', async (_name, change) => {
    const { machine } = await trusted(trustInGitHub())
    const token = (bound: string) => issuer.sign(change(ofGitHub(bound), bound))
    expect(await present(machine.id, token)).toEqual(bundle.values)
  })

  test.each(forgeries(issuer))('a token %s is refused as any other text', async (_name, forge) => {
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

  test('the keys of one trust never prove the claims of another trust in the same issuer', async () => {
    const build = new Issuer()
    await build.rotate('build')
    const { machine } = await trusted({ ...rulesFor('deploy'), keys: issuer.jwks })
    await trusted({ ...rulesFor('build'), keys: build.jwks }, machine)
    expect(await present(machine.id, tokenOf(issuer, 'deploy'))).toEqual(bundle.values)
    expect(await present(machine.id, tokenOf(build, 'build'))).toEqual(bundle.values)
    expect(await present(machine.id, tokenOf(build, 'deploy'))).toBe('identity_not_trusted')
    expect(await present(machine.id, tokenOf(issuer, 'build'))).toBe('identity_not_trusted')
  })

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

  test('a trust and its end are events that say whom the machine trusts', async () => {
    const { machine, trust } = await trusted({ ...trustInGitHub(), networks: ['10.0.0.0/8'] })
    const as = { as: owner, params: { machine_id: machine.id, trust_id: trust.id } }
    expect((await api.call('endMachineTrust', as)).status).toBe(200)
    const target = { kind: 'machine', id: machine.id, name: machine.name }
    const dataOf = async (action: string) =>
      (await eventsOf(api, owner, action)).find((event) => event.target.id === machine.id)
    const data = { trust: trust.id, issuer: github.issuer }
    const [claims, networks] = [['repository_id=74', 'environment=prod'], ['10.0.0.0/8']]
    expect(await dataOf('trust.created')).toMatchObject({
      target,
      data: { ...data, audience: AUDIENCE, binding: 'required', is_broad: false, networks, claims },
    })
    expect(await dataOf('trust.ended')).toMatchObject({ target, data })
  })

  test('after the acknowledged end of a trust nothing is delivered', async () => {
    const { machine, trust } = await trusted(trustInGitHub())
    await trusted({ ...trustInGitHub(), claims: { repository_id: ['1'], environment: ['x'] } }, machine)
    const params = { machine_id: machine.id, trust_id: trust.id }
    let isEnded = false
    let answered = 0
    const late: unknown[] = []
    const lines = Array.from({ length: 6 }, async () => {
      for (let call = 0; call < 10; call += 1) {
        const begunAfterEnd = isEnded
        const outcome = await present(machine.id, signed)
        answered += 1
        if (begunAfterEnd) late.push(outcome)
      }
    })
    await until('a call that was answered', () => answered > 0)
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

  test('an attempt whose claims another program changed is not allowed', async () => {
    const { machine } = await trusted({ ...trustInGitHub(), claims: { repository_id: ['1'], ref: ['x'] } })
    await present(machine.id, signed)
    const params = { machine_id: machine.id }
    const [attempt] = (await api.call('listMachineAttempts', { as: owner, params })).json
    const rows = await openDatabaseOf(api)
    const claims = JSON.stringify({ ...attempt?.claims, repository_id: '666' })
    const change = rows.query.updateTable('machine_attempts').set({ claims })
    await change.where('machine_id', '=', machine.id).execute()
    await rows.close()
    const allowed = await api.call('allowMachineAttempt', {
      as: owner,
      params: { ...params, fingerprint: attempt?.fingerprint ?? '' },
      body: seen(attempt),
    })
    expect([allowed.status, allowed.failure?.code]).toEqual([500, 'internal'])
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
      body: seen(attempts[0], ['repository_id']),
    })
    expect([tooBroad.status, tooBroad.failure?.code]).toEqual([400, 'trust_too_broad'])
    const body = seen(attempts[0])
    for (const other of [
      { ...body, issuer: 'https://issuer.example.com' },
      { ...body, claims: { ...body.claims, repository_id: '75' } },
      { ...body, claims: { ...body.claims, actor: 'somebody' } },
    ]) {
      const refused = await api.call('allowMachineAttempt', { as: owner, params: place, body: other })
      expectError(refused, 409, 'the identity did not show this: look at it again', 'changed')
    }
    // The trust of an attempt takes its keys by discovery; these were pasted, so the test pastes them again.
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
    const kept = async () => {
      const params = { machine_id: machine.id }
      const { json } = await api.call('listMachineAttempts', { as: owner, params })
      return json.map((attempt) => [Number(attempt.claims['repository_id']) - 1_000, attempt.times])
    }
    const knockAll = async (from: number, count: number) => {
      for (let at = from; at < from + count; at += 1) {
        clockMs += 1
        await knock(at)
      }
    }
    await knockAll(0, 7)
    await knockAll(2, 1)
    expect(await kept()).toEqual([
      [2, 2],
      [4, 1],
      [3, 1],
      [1, 1],
      [0, 1],
    ])
    for (let minute = 1; minute < 4; minute += 1) {
      clockMs += 61_000
      await knockAll(minute * 10, 4)
    }
    expect((await kept()).map(([id]) => id)).toEqual([33, 32, 31, 30, 23, 22, 21, 20, 13, 12])
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
      const { length } = issuer.asked
      expect(await call()).toEqual(bundle.values)
      expect(issuer.asked).toHaveLength(length)
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
})

const rulesFor = (sub: string) => ({ issuer: 'https://ci.example.com', claims: { sub: [sub] } })
