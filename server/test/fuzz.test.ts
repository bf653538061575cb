import { type Endpoint, endpoints } from '@keyferry/contract'
import { freePort } from '@keyferry/plumbing/free-port'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

const RUNS = 60
const CALLS_PER_RUN = 25

/** Pages and files of the app, which are no rows of the table. */
const OWN_ROUTES = [
  ['GET', '/approve/x'],
  ['GET', '/assets/x'],
] as const

const ROUTES = [
  ...Object.values<Endpoint>(endpoints)
    // A wait is open for up to 30 s, so other tests cover it.
    .filter(({ path }) => !path.endsWith('/wait'))
    .map(({ method, path }) => [method, path] as const),
  ...OWN_ROUTES,
]

const segment = fc.oneof(
  fc.string(),
  fc.uuid(),
  fc.constantFrom('..', '.', '%', '%00', 'a'.repeat(2_000), '{x}'),
)
const headerValue = fc.string({ unit: 'binary-ascii' }).map((text) => text.replace(/[^\x21-\x7e]/g, ''))
const headers = fc.dictionary(
  fc.constantFrom(
    'x-user-id',
    'x-tenant-id',
    'x-signature',
    'x-signature-v2',
    'x-poll-verifier',
    'x-forwarded-for',
    'cookie',
    'authorization',
    'accept',
    'accept-encoding',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'sec-fetch-site',
    'content-type',
  ),
  headerValue,
  { maxKeys: 5 },
)
const body = fc.option(
  fc.oneof(fc.json(), fc.string(), fc.constant('{'), fc.constant('[]'), fc.constant('null')),
)

const asked = fc.record({
  route: fc.constantFrom(...ROUTES),
  segment,
  query: fc.option(fc.string()),
  headers,
  body,
})

const started: { address: string; program: Program }[] = []
const folders = [temporaryFolder(), temporaryFolder()]

beforeAll(async () => {
  const oidcPort = await freePort()
  const oidc = {
    AUTH_MODE: 'oidc',
    OIDC_ISSUER: `http://127.0.0.1:${oidcPort}`,
    OIDC_CLIENT_ID: 'keyferry',
    IDENTITY_WEBHOOK_SECRET: `whsec_${Buffer.from('a webhook secret of the tests').toString('base64')}`,
  }
  for (const [at, settings] of [
    { AUTH_MODE: 'accounts', SETUP_CODE: 'a set-up code of the tests' },
    oidc,
  ].entries()) {
    const program = new Program({ DATA_DIR: folders[at]?.path ?? '', ...settings })
    started.push({ program, address: await program.ready() })
  }
})

afterAll(async () => {
  await Promise.all(started.map(({ program }) => program.stop('SIGKILL')))
  for (const folder of folders) folder.remove()
})

type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

async function send(address: string, { route: [method, path], ...rest }: Asked): Promise<void> {
  const filled = path.replaceAll(/\{\w+\}/g, encodeURIComponent(rest.segment))
  const query = rest.query === null ? '' : `?${encodeURI(rest.query)}`
  const hasBody = method !== 'GET' && rest.body !== null
  const init = { method, headers: rest.headers, ...(hasBody ? { body: rest.body } : {}) }
  const answer = await fetch(address + filled + query, { ...init, redirect: 'manual' })
  const text = await answer.text()
  const isProviderDown = answer.status === 503 && /provider/.test(text)
  if (answer.status >= 500 && !isProviderDown)
    throw new Error(`${answer.status} ${method} ${filled}: ${text}`)
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  if (answer.status >= 400 && isJson) expect(JSON.parse(text)).toHaveProperty('error', expect.any(String))
}

test('no request gets a 5xx, and the process keeps running', async () => {
  const calls = fc.array(asked, { minLength: CALLS_PER_RUN, maxLength: CALLS_PER_RUN })
  await fc.assert(
    fc.asyncProperty(calls, async (requests) => {
      for (const { address } of started)
        await Promise.all(requests.map(async (request) => await send(address, request)))
    }),
    { numRuns: RUNS },
  )
  for (const { address, program } of started) {
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect(program.stderr).toBe('')
  }
})
