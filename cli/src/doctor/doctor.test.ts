import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import type { Environment } from '../base/parts.ts'
import { VERSION } from '../base/version.ts'
import { examineFiles } from './files.ts'
import { examineMachine } from './machine.ts'
import { examineServer } from './server.ts'

const SERVER = 'https://keyferry.example'
const NOW_MS = Date.parse('2030-06-01T00:00:00Z')
const TOKEN = 'kfm_Zu4Af1hEPvrr1Jl52fl5mhoAyP15JXuDKcjxKCLWMM00B0UBJ'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

type Said = { readonly status?: number; readonly body: object | string; readonly dateMs?: number | null }

/** A stage with a server that gives the same answer to each call, or one answer for each path. */
function at(said: Said | Readonly<Record<string, Said>>, env: Environment = {}) {
  const answer = ({ status, body, dateMs = null }: Said) => ({ ...answered(body, status), dateMs })
  const parts = stage(env, folder)
  const exchange: typeof parts.exchange = async ({ url }) =>
    answer('body' in said ? (said as Said) : ((said as Record<string, Said>)[new URL(url).pathname] as Said))
  const clock = { ...parts.clock, epochMs: () => NOW_MS, monotonicMs: () => 0 }
  return { ...parts, exchange, clock }
}

const idToken = (content: object) =>
  `e30.${Buffer.from(JSON.stringify({ iss: 'https://ci.example', ...content })).toString('base64url')}.x`

describe('the machine of a job', () => {
  const machine = {
    name: 'ci',
    workspace: { name: 'Acme' },
    grants: [
      { bundle: { name: 'prod/app' }, scope: 'deliver' },
      { bundle: { name: 'prod/listed' }, scope: 'read' },
      { bundle: { name: 'dev/app' }, scope: 'deliver' },
    ],
    token: { expires_at: '2030-07-01', due: null },
  }

  test('a token is reported with its machine, bundles and expiry', async () => {
    expect(await examineMachine(SERVER, at({ body: machine }, { KEYFERRY_TOKEN: TOKEN }))).toEqual([
      { about: 'machine', state: 'good', what: 'ci in Acme, by token …0UBJ', fix: null },
      { about: 'bundles', state: 'good', what: 'it may fetch prod/app, dev/app', fix: null },
      { about: 'token', state: 'good', what: 'until 2030-07-01', fix: null },
    ])
  })

  test('a token without bundles, and one that is due, are reported with a fix', async () => {
    const body = { ...machine, grants: machine.grants.slice(1, 2), token: { expires_at: 'x', due: 'soon' } }
    expect((await examineMachine(SERVER, at({ body }, { KEYFERRY_TOKEN: TOKEN }))).slice(1)).toEqual([
      {
        about: 'bundles',
        state: 'doubtful',
        what: 'it may fetch none',
        fix: 'Ask an owner to grant a bundle to the machine.',
      },
      { about: 'token', state: 'doubtful', what: 'until x', fix: 'Rotate it on the page of the machine.' },
    ])
  })

  test('without a server, doctor does not present the token', async () => {
    expect(await examineMachine(null, at({ body: {} }, { KEYFERRY_TOKEN: TOKEN }))).toEqual([
      { about: 'machine', state: 'good', what: 'token …0UBJ; doctor did not present it', fix: null },
    ])
  })

  test('without a token and a job, doctor reports no machine', async () => {
    expect(await examineMachine(SERVER, at({ body: {} }))).toEqual([])
  })

  const granted = { status: 403, body: { error: 'x', code: 'not_granted' } }
  const present = async (token: string, answer: Said = granted) =>
    await examineMachine(SERVER, at(answer, { KEYFERRY_MACHINE: 'm1', KEYFERRY_ID_TOKEN: token }))
  const seconds = NOW_MS / 1_000

  test('an ID token is reported with its claims, but without an e-mail address', async () => {
    const claims = { ref: 'main', run: 7, is_fork: false, email: 'sam@example.com', jti: 'x', list: ['a'] }
    const findings = await present(idToken({ aud: SERVER, exp: seconds + 60, iat: 1, nbf: 1, ...claims }))
    expect(findings.map(({ about, state, what }) => `${state} ${about}: ${what}`)).toEqual([
      'good ID token: ID token, signed by https://ci.example',
      `good audience: ${SERVER}, not bound to a key`,
      'good expiry: in 60 s',
      'good claim: ref = main',
      'good claim: run = 7',
      'good claim: is_fork = false',
      'good machine: m1: the server accepts this identity',
    ])
  })

  test.each([
    [{ aud: [SERVER, 'b'] }, 'audience', 'doubtful', `${SERVER}, b, which is not ${SERVER}`],
    [{ aud: `${SERVER}/key/x` }, 'audience', 'good', `${SERVER}, bound to the key of this call`],
    [{}, 'expiry', 'broken', 'the ID token names none'],
    [{ exp: seconds }, 'expiry', 'broken', '0 s ago'],
    [{ exp: seconds + 1 }, 'expiry', 'good', 'in 1 s'],
    [{ exp: seconds - 5 }, 'expiry', 'broken', '5 s ago'],
  ])('of an ID token with %j, the %s is %s: %s', async (content, about, state, what) => {
    const findings = await present(idToken(content))
    expect(findings.find((each) => each.about === about)).toMatchObject({ state, what })
  })

  test.each([
    [{ exp: seconds }, 'Get a new ID token: the platform gives one to each job.'],
    [{}, 'Use an ID token of the platform.'],
  ])('for an ID token with %j, doctor suggests: %s', async (content, fix) => {
    const findings = await present(idToken(content))
    expect(findings.find(({ about }) => about === 'expiry')).toMatchObject({ fix })
  })

  test.each(['no-token', 'e30.e30.x', 'e30.W10.x'])('%s is not an ID token', async (token) => {
    expect(await present(token)).toEqual([
      {
        about: 'ID token',
        state: 'broken',
        what: 'it is not a JWT',
        fix: 'Give the ID token of the platform, unchanged.',
      },
    ])
  })

  test('if the server sends values instead of a refusal, doctor reports the machine as broken', async () => {
    const findings = await present(idToken({}), { status: 200, body: {} })
    expect(findings.at(-1)).toMatchObject({ about: 'machine', state: 'broken' })
  })

  test.each([
    [{ GITHUB_ACTIONS: 'true' }, 'GitHub Actions @'],
    [
      { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'a/b', GITHUB_REF_NAME: 'main' },
      'GitHub Actions a/b@main',
    ],
    [{ GITLAB_CI: 'true', CI_PROJECT_PATH: 'a/b', CI_COMMIT_REF_NAME: 'main' }, 'GitLab CI a/b@main'],
    [{ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, 'Kubernetes'],
  ])('a job with %j but without a credential gets a fix', async (env, job) => {
    expect(await examineMachine(SERVER, at({ body: {} }, env))).toEqual([
      {
        about: 'machine',
        state: 'doubtful',
        what: `${job}, but no machine credential is set, so keyferry asks a person`,
        fix: 'Set KEYFERRY_MACHINE to the id of the machine; its page shows the job file.',
      },
    ])
  })
})

const answers = (health: object, dateMs: number | null = NOW_MS) => ({
  '/healthz': { body: health, dateMs },
  '/session': { body: { auth_mode: 'oidc' } },
})

const examine = async (said: ReturnType<typeof answers>, env: Environment = {}) =>
  await examineServer(SERVER, at(said, env))

describe('the server', () => {
  test('a server with the same version and time is good', async () => {
    expect(await examine(answers({ version: VERSION }))).toEqual({
      server: SERVER,
      findings: [
        { about: 'server', state: 'good', what: `${SERVER} (--server)`, fix: null },
        {
          about: 'connection',
          state: 'good',
          what: `Keyferry ${VERSION}, sign-in oidc, 0 ms away`,
          fix: null,
        },
        { about: 'clock', state: 'good', what: 'same as this machine', fix: null },
      ],
    })
  })

  test('a server that does not say how people sign in is good', async () => {
    const { findings } = await examine({
      ...answers({ version: VERSION }),
      '/session': { body: {} },
    } as never)
    const what = `Keyferry ${VERSION}, sign-in unknown, 0 ms away`
    expect(findings[1]).toMatchObject({ state: 'good', what })
  })

  test('a server with another major version is doubtful', async () => {
    const { findings, server } = await examine(answers({ version: '99.0.0' }))
    expect(findings[1]).toMatchObject({
      state: 'doubtful',
      fix: `This client is ${VERSION}. Use the same major version for both.`,
    })
    expect(server).toBe(SERVER)
  })

  test('an address without a Keyferry server gets no further call', async () => {
    const { findings, server } = await examine(answers({}))
    expect(findings[1]).toEqual({
      about: 'connection',
      state: 'broken',
      what: 'this is not a Keyferry server',
      fix: 'Check the address and the port.',
    })
    expect(server).toBeNull()
  })

  test.each([
    [null, 'good', 'the server sends no time'],
    [900, 'good', 'same as this machine'],
    [-2_000, 'good', 'same as this machine'],
    [-2_600, 'good', '2 s behind this machine'],
    [2_000, 'good', '3 s ahead of this machine'],
    [29_500, 'good', '30 s ahead of this machine'],
    [30_500, 'doubtful', '31 s ahead of this machine'],
    [-31_500, 'doubtful', '31 s behind this machine'],
  ])('a clock that is %s ms ahead is %s: %s', async (aheadMs, state, what) => {
    const dateMs = aheadMs === null ? null : NOW_MS + aheadMs
    const { findings } = await examine(answers({ version: VERSION }, dateMs))
    expect(findings[2]).toMatchObject({ about: 'clock', state, what })
  })

  test('doctor continues after a doubtful clock', async () => {
    const { findings, server } = await examine(answers({ version: VERSION }, NOW_MS + 90_000))
    expect(findings[2]).toMatchObject({
      fix: 'Requests work anyway, but set the clock for other programs.',
    })
    expect(server).toBe(SERVER)
  })

  test('proxies and certificates from the environment are reported', async () => {
    const certificates = join(folder, 'ca.pem')
    writeFileSync(certificates, '')
    const env = {
      https_proxy: 'http://x',
      HTTP_PROXY: 'http://x',
      SSL_CERT_FILE: certificates,
      HTTPS_PROXY: '',
    }
    const { findings } = await examine(answers({ version: VERSION }), env)
    expect(findings.slice(1, 3)).toEqual([
      { about: 'proxy', state: 'good', what: 'https_proxy, HTTP_PROXY is set', fix: null },
      { about: 'authorities', state: 'good', what: `SSL_CERT_FILE is ${certificates}`, fix: null },
    ])
  })
})

describe('files', () => {
  test.each([
    ['.env', 0o640, '640'],
    ['.env.local', 0o602, '602'],
  ])('%s with mode %i is reported', (name, mode, shown) => {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), mode)
    expect(examineFiles(stage({ HOME: folder }, folder))).toEqual([
      {
        about: name,
        state: 'doubtful',
        what: `other users of this machine may read it (mode ${shown})`,
        fix: `Run chmod 600 ${name}, or import the file and delete it.`,
      },
    ])
    expect(examineFiles({ ...stage({ HOME: folder }, folder), platform: 'win32' })).toEqual([])
  })

  test('private files are not reported, and the state folder is', () => {
    writeFileSync(join(folder, '.env'), '', { mode: 0o600 })
    const state = join(folder, 'state', 'keyferry')
    mkdirSync(state, { recursive: true })
    expect(examineFiles(stage({ XDG_STATE_HOME: join(folder, 'state') }, folder))).toEqual([
      { about: 'state', state: 'good', what: state, fix: null },
    ])
  })
})
