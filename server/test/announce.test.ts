import { expect, test } from 'vitest'
import { announcement } from '../src/announce.ts'
import type { ServerRole } from '../src/safe-start.ts'
import { readSettings } from '../src/settings/settings.ts'

const ADVICE =
  '  APPROVAL_ASSURANCE is not bound: a click on a link from another person can deliver values. Set APPROVAL_ASSURANCE=bound.'

function linesOf(role: ServerRole, environment: NodeJS.ProcessEnv): string[] {
  const running = {
    address: 'http://127.0.0.1:5393',
    dataDir: '/var/lib/keyferry',
    madeRootKey: false,
    startNotes: [],
    stop: async () => undefined,
    useRootKeys: async () => undefined,
  }
  const settings = readSettings(environment)
  return announcement({ role, settings, running, version: '1.2.3' }).split('\n')
}

const HOSTED = { AUTH_MODE: 'accounts' }
const PUBLIC = { PUBLIC_URL: 'https://keyferry.example.com' }

test.each<[ServerRole, NodeJS.ProcessEnv]>([
  ['all', HOSTED],
  ['all', { ...HOSTED, APPROVAL_ASSURANCE: 'compat' }],
  ['all', { AUTH_MODE: 'oidc' }],
  ['api', {}],
])(
  'the start of a hosted server (%s, %o) advises in one line to demand bound approvals',
  (role, environment) => {
    expect(linesOf(role, environment).filter((line) => line === ADVICE)).toHaveLength(1)
  },
)

test.each<[ServerRole, NodeJS.ProcessEnv]>([
  ['all', {}],
  ['all', { ...HOSTED, APPROVAL_ASSURANCE: 'bound' }],
  ['all', { ...HOSTED, APPROVAL_ASSURANCE: 'local' }],
  ['api', { APPROVAL_ASSURANCE: 'bound' }],
  ['web', HOSTED],
])('the start of %s with %o needs no such advice', (role, environment) => {
  expect(linesOf(role, environment).join('\n')).not.toContain('APPROVAL_ASSURANCE')
})

test.each<[number, ServerRole, NodeJS.ProcessEnv]>([
  [1, 'all', HOSTED],
  [1, 'web', HOSTED],
  [0, 'web', { ...HOSTED, TRUST_PROXY: '10.0.0.5' }],
  [0, 'api', HOSTED],
  [0, 'all', { ...HOSTED, PUBLIC_URL: 'http://127.0.0.1:5393' }],
  [0, 'all', {}],
])('%d lines about a proxy at the start of %s with %o', (count, role, environment) => {
  const at = 'PUBLIC_URL' in environment || environment['AUTH_MODE'] === undefined ? {} : PUBLIC
  const lines = linesOf(role, { ...at, ...environment })
  expect(lines.filter((line) => line.includes('behind the proxy that ends TLS'))).toHaveLength(count)
})

const SIGN_UP_ADVICE =
  '  SIGN_UP is not set: everyone whom the provider signs in gets a workspace here. Set SIGN_UP=invited, or domains.'

test.each<[NodeJS.ProcessEnv, boolean]>([
  [{ AUTH_MODE: 'oidc' }, true],
  [{ AUTH_MODE: 'clerk' }, true],
  [{ AUTH_MODE: 'oidc', SIGN_UP: 'everyone' }, false],
  [{ AUTH_MODE: 'oidc', SIGN_UP: 'invited' }, false],
  [{ AUTH_MODE: 'accounts' }, false],
])('the start advises to set SIGN_UP with %o: %s', (environment, isAsked) => {
  expect(linesOf('all', environment).includes(SIGN_UP_ADVICE)).toBe(isAsked)
})

const signUpIn = (SIGN_UP: string) => readSettings({ SIGN_UP }).SIGN_UP

test('SIGN_UP is everyone, invited or domains', () => {
  expect(['everyone', 'invited', 'Example.com, b.org'].map(signUpIn)).toEqual([
    'everyone',
    [],
    ['example.com', 'b.org'],
  ])
  expect(() => signUpIn('no domain')).toThrow(/^SIGN_UP must be everyone, invited, or domains/)
})

const DATABASE = { DATABASE_URL: 'postgres://u@db.example/keyferry' }
const OIDC = {
  AUTH_MODE: 'oidc',
  OIDC_ISSUER: 'https://id.example.com',
  APPROVAL_ASSURANCE: 'bound',
  SIGN_UP: 'invited',
}

test.each<[ServerRole, NodeJS.ProcessEnv, string[]]>([
  [
    'all',
    {},
    [
      'Keyferry 1.2.3 is ready.',
      '',
      '  Listens   http://127.0.0.1:5393',
      '  Data      /var/lib/keyferry',
      expect.stringMatching(/^ {2}Sign-in {3}none: .+ \(127\.0\.0\.1\)$/),
      expect.stringMatching(/^ {2}Client {4}.+http:\/\/127\.0\.0\.1:5393\/install\.(sh \| sh|ps1 \| iex)$/),
      '  Next      keyferry import .env --bundle dev/app',
    ],
  ],
  [
    'all',
    { ...OIDC, ...PUBLIC, ...DATABASE, TRUST_PROXY: '10.0.0.5' },
    [
      'Keyferry 1.2.3 is ready.',
      '',
      '  Listens   http://127.0.0.1:5393',
      '  Public    https://keyferry.example.com',
      '  Data      PostgreSQL (DATABASE_URL)',
      '  Sign-in   https://id.example.com',
    ],
  ],
  [
    'web',
    { ...HOSTED, ...PUBLIC, TRUST_PROXY: '10.0.0.5' },
    [
      'Keyferry 1.2.3 web is ready.',
      '',
      '  Listens   http://127.0.0.1:5393',
      '  Public    https://keyferry.example.com',
      '  Data      none (the API stores all data)',
      '  Sign-in   accounts',
    ],
  ],
  [
    'api',
    { ...PUBLIC, APPROVAL_ASSURANCE: 'bound' },
    [
      'Keyferry 1.2.3 api is ready.',
      '',
      '  Listens   http://127.0.0.1:5393',
      '  Data      /var/lib/keyferry',
      '',
      '  TRUST_PROXY is not set: only calls with X-Signature-V2 are counted by their client’s address.',
    ],
  ],
])('the start of %s with %o prints these lines', (role, environment, lines) => {
  expect(linesOf(role, environment)).toEqual([...lines, '', '  Stop with Ctrl-C.', ''])
})
