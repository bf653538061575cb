import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { requireSafeStart } from '../src/safe-start.ts'
import { SETTINGS } from '../src/settings/setting-table.ts'
import { readSettings } from '../src/settings/settings.ts'
import { webSettings } from '../src/web-settings.ts'

const SECRET = randomBytes(32).toString('base64')
const ROOT_KEY = randomBytes(32).toString('base64')
const PEM = '-----BEGIN PUBLIC KEY-----\nbm90IGEga2V5\n-----END PUBLIC KEY-----'

function complaint(environment: NodeJS.ProcessEnv, role: 'all' | 'api' | 'web' = 'all'): string | null {
  try {
    requireSafeStart(readSettings(environment), role)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}

test('an empty environment is a local start on loopback', () => {
  const settings = readSettings({})
  expect(settings).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 5393,
    DATA_DIR: './data',
    AUTH_MODE: 'local',
    SESSION_IDLE_SECONDS: 1_800,
    SIGN_IN_AGAIN_SECONDS: 0,
    SESSION_MAX_SECONDS: 604_800,
    REQUEST_TTL: 300,
    WAITING_TTL: 1_800,
    MAX_PAYLOAD_BYTES: 1_048_576,
    VERSIONS_KEPT: 50,
    AUDIT_RETENTION_DAYS: 0,
    DELIVERY_RETENTION_DAYS: 0,
    DEPOSIT_RETENTION_DAYS: 0,
    MAX_BODY_BYTES: 2_097_152,
    REQUESTS_PER_MINUTE: 10,
    USERS_PER_MINUTE: 600,
    MAX_LIVE_REQUESTS: 20_000,
    MAX_WAITING_DEPOSIT_BYTES: 67_108_864,
    MAX_BUNDLE_ENTRIES: 10_000,
    MAX_TENANT_BYTES: 1_073_741_824,
    MAX_WORKSPACES_PER_PERSON: 100,
    DEV_ALLOW_PLAINTEXT: false,
    REQUIRE_SIGNATURE_V2: false,
    APPROVAL_ASSURANCE: 'compat',
    TRUST_PROXY: [],
    TRUST_PROXY_HEADER: 'X-Forwarded-For',
  })
  expect(complaint({})).toBeNull()
})

test('an empty variable counts as not set', () => {
  const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']))
  expect(readSettings(empty)).toEqual(readSettings({}))
})

describe('a wrong value is named, and not repeated', () => {
  test.each([
    ['HOST', 'not a host'],
    ['HOST', '127.0.0.1:80'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', 'http'],
    ['PUBLIC_URL', 'secrets.example.com'],
    ['PUBLIC_URL', 'ftp://keyferry.example.com'],
    ['PUBLIC_URL', 'https://keyferry.example.com/path'],
    ['PUBLIC_URL', 'https://user:word@keyferry.example.com'],
    ['DATABASE_URL', 'mysql://host/db'],
    ['DATABASE_URL', '/var/lib/file.db'],
    ['DATABASE_URL', 'postgres://user:100%@host/db'],
    ['DATABASE_URL', 'postgres://user:12#34@host/db'],
    ['DATABASE_URL', 'postgres://user:one/two@host/db'],
    ['DATABASE_URL', 'postgres://user:one@/two@host/db'],
    ['REDIS_URL', 'redis://:100%zz@host'],
    ['REDIS_URL', 'http://host'],
    ['REDIS_URL', 'redis+sentinel://a,b'],
    ['ROOT_KEY', 'c2hvcnQ='],
    ['ROOT_KEY', 'A'.repeat(43)],
    ['ROOT_KEY', `${ROOT_KEY},c2hvcnQ=`],
    ['ROOT_KEY', ','],
    ['AUTH_MODE', 'Local'],
    ['AUTH_MODE', 'none'],
    ['BFF_SHARED_SECRET', 'only thirty-one bytes, too short'.slice(0, 31)],
    ['BFF_SHARED_SECRET', `${SECRET},short`],
    ['BFF_SHARED_SECRET', 'change-me-change-me-change-me-change-me'],
    ['BFF_SHARED_SECRET', 'x'.repeat(64)],
    ['API_URL', 'api:5394'],
    ['REQUEST_TTL', '0'],
    ['WAITING_TTL', '0'],
    ['REQUEST_TTL', '5m'],
    ['APPROVAL_ASSURANCE', 'strict'],
    ['REQUIRE_SIGNATURE_V2', 'yes'],
    ['DEV_ALLOW_PLAINTEXT', 'true'],
    ['TRUST_PROXY', '*'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1, proxy'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['TRUST_PROXY_HEADER', 'X-Real-IP, Forwarded'],
    ['MAX_PAYLOAD_BYTES', '1MB'],
    ['VERSIONS_KEPT', '-1'],
    ['AUDIT_RETENTION_DAYS', '1.5'],
    ['MAX_BODY_BYTES', '0'],
    ['REQUESTS_PER_MINUTE', '0'],
    ['USERS_PER_MINUTE', '0'],
    ['MAX_LIVE_REQUESTS', '0'],
    ['MAX_BUNDLE_ENTRIES', '0'],
    ['MAX_TENANT_BYTES', '1 GB'],
    ['MAX_WORKSPACES_PER_PERSON', '0'],
    ['OIDC_ISSUER', 'http://idp.example.com'],
    ['OIDC_ISSUER', 'https://idp.example.com?tenant=a'],
    ['OIDC_ISSUER', 'https://idp.example.com/.well-known/openid-configuration'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp:mail.example.com'],
    ['SMTP_URL', 'smtp://mail.example.com:port'],
    ['SMTP_URL', 'smtp://mail.example.com?requireTLS=true'],
    ['SMTP_URL', 'smtp://mail.example.com/r'],
    ['CLERK_ISSUER', 'clerk.example.com'],
    ['CLERK_JWT_KEY', PEM],
    ['CLERK_AUTHORIZED_PARTIES', 'secrets.example.com'],
    ['IDENTITY_WEBHOOK_SECRET', 'secret'],
    ['LOG_LEVEL', 'verbose'],
    ['METRICS_HOST', 'all interfaces'],
    ['METRICS_PORT', '70000'],
  ])('%s=%s', (name, value) => {
    const line = complaint({ [name]: value })
    expect(line).toMatch(new RegExp(`^${name} must be `))
    expect(line).not.toContain('\n')
    if (value.length > 8) expect(line).not.toContain(value)
  })
})

test.each(['DATABASE_URL', 'REDIS_URL'])('the refusal of %s says how to write a password', (name) => {
  const line = complaint({ [name]: 'redis://:100%@host' })
  expect(line).toContain('in a password, write % as %25, # as %23, / as %2F and @ as %40')
})

describe('a setting with a stray character is refused, and not trimmed', () => {
  const issuer = 'https://idp.example.com'
  test.each([
    ['OIDC_ISSUER', `${issuer}\n`],
    ['OIDC_ISSUER', ` ${issuer}`],
    ['OIDC_CLIENT_ID', 'keyferry\u00a0'],
    ['OIDC_CLIENT_SECRET', 'a secret\r'],
    ['PUBLIC_URL', 'https://keyferry.example.com\t'],
    ['DATA_DIR', '/var/lib/keyferry '],
    ['DATABASE_URL', 'postgres://host/db\n?sslmode=require'],
    ['SETUP_CODE', ' a code of some length '],
    ['ROOT_KEY', `${ROOT_KEY}\0`],
    ['TRUST_PROXY', '10.0.0.1\u0007'],
  ])('%s=%j', (name, value) => {
    const line = complaint({ [name]: value })
    expect(line).toMatch(new RegExp(`^${name} has a blank at an end, or a control character .*: remove it`))
    expect(line).not.toContain(value.trim())
  })

  test.each([
    ['OIDC_CLIENT_SECRET', '"a secret"'],
    ['DATA_DIR', "'/var/lib/keyferry'"],
    ['ROOT_KEY', `"${ROOT_KEY}"`],
  ])('%s=%s, as docker --env-file leaves it', (name, value) => {
    expect(complaint({ [name]: value })).toMatch(new RegExp(`^${name} is in quotes, .*: remove them$`))
  })

  test('the refusal of an issuer says what becomes of people', () => {
    expect(complaint({ OIDC_ISSUER: `${issuer}\n` })).toContain('get new accounts: see docs/operations.md')
  })

  test('the lines of lists and keys mean nothing', () => {
    const lists = {
      ROOT_KEY: `${ROOT_KEY}\n`,
      API_URL: 'http://api:5394\n',
      TRUST_PROXY: '10.0.0.1,\n 10.0.0.2\n',
    }
    expect(complaint(lists)).toBeNull()
  })
})

describe('a start that would be unsafe is refused', () => {
  const accounts = { AUTH_MODE: 'accounts', PUBLIC_URL: 'https://keyferry.example.com' }
  test.each([
    [{ HOST: '0.0.0.0' }, /^HOST 0\.0\.0\.0 with AUTH_MODE=local/],
    [{ HOST: '::' }, /^HOST :: with AUTH_MODE=local/],
    [{ HOST: '192.168.1.4' }, /^HOST 192\.168\.1\.4 with AUTH_MODE=local/],
    [{ HOST: '127.attacker.example' }, /^HOST/],
    [{ PORT: '9393', METRICS_PORT: '9393' }, /^METRICS_PORT is PORT/],
    [{ ...accounts, DEV_ALLOW_PLAINTEXT: '1' }, /^DEV_ALLOW_PLAINTEXT=1 with AUTH_MODE=accounts/],
    [{ ...accounts, DEV_ALLOW_PLAINTEXT: '1', NODE_ENV: 'production' }, /^DEV_ALLOW_PLAINTEXT=1/],
    [
      { DEV_ALLOW_PLAINTEXT: '1', BFF_SHARED_SECRET: SECRET },
      /^DEV_ALLOW_PLAINTEXT=1 with keyferry-server api/,
      'api',
    ],
    [{ ...accounts, PUBLIC_URL: 'http://keyferry.example.com' }, /^PUBLIC_URL must be https/],
    [{ AUTH_MODE: 'accounts', HOST: '0.0.0.0' }, /^PUBLIC_URL is missing/],
    [{ DATABASE_URL: 'postgres://db/keyferry' }, /^ROOT_KEY is missing/],
    [{ ROOT_KEY, ROOT_KEY_FILE: '/run/key' }, /^ROOT_KEY and ROOT_KEY_FILE/],
    [{ AUTH_MODE: 'oidc' }, /^OIDC_ISSUER is missing/],
    [{ AUTH_MODE: 'oidc', OIDC_ISSUER: 'https://idp.example.com' }, /^OIDC_CLIENT_ID is missing/],
    [{ AUTH_MODE: 'clerk' }, /^CLERK_ISSUER is missing/],
    [{ OIDC_ISSUER: 'https://idp.example.com' }, /^OIDC_ISSUER is set, but AUTH_MODE is local/],
    [{ ...accounts, CLERK_SECRET_KEY: 'sk_test_1' }, /^CLERK_SECRET_KEY is set, but AUTH_MODE is accounts/],
  ] as const)('%j', (environment, expected, role: 'all' | 'api' = 'all') => {
    expect(complaint(environment, role)).toMatch(expected)
  })

  test('separate roles need the shared secret', () => {
    expect(complaint({}, 'api')).toMatch(/^BFF_SHARED_SECRET is missing: keyferry-server api/)
    expect(complaint({}, 'web')).toMatch(/^BFF_SHARED_SECRET is missing: keyferry-server web/)
    expect(complaint({ BFF_SHARED_SECRET: SECRET }, 'web')).toMatch(/^API_URL is missing/)
  })
})

test('what is safe starts', () => {
  const accounts = { AUTH_MODE: 'accounts', PUBLIC_URL: 'https://keyferry.example.com/', HOST: '0.0.0.0' }
  expect(complaint(accounts)).toBeNull()
  expect(readSettings(accounts).PUBLIC_URL).toBe('https://keyferry.example.com')
  expect(complaint({ DEV_ALLOW_PLAINTEXT: '1' })).toBeNull()
  const development = { BFF_SHARED_SECRET: SECRET, DEV_ALLOW_PLAINTEXT: '1', NODE_ENV: 'development' }
  expect(complaint(development, 'api')).toBeNull()
  expect(complaint({ ...accounts, DEV_ALLOW_PLAINTEXT: '1', NODE_ENV: 'development' })).toBeNull()
  expect(
    complaint({ BFF_SHARED_SECRET: `${SECRET}, ${ROOT_KEY}`, API_URL: 'http://api:5394' }, 'web'),
  ).toBeNull()
  expect(complaint({ DATABASE_URL: 'postgresql://db/k', ROOT_KEY })).toBeNull()
  expect(complaint({ HOST: 'localhost' })).toBeNull()
  expect(complaint({ HOST: '::1' })).toBeNull()
})

test('a slash at the end of an issuer means nothing', () => {
  const settings = readSettings({
    AUTH_MODE: 'oidc',
    OIDC_ISSUER: 'https://idp.example.com/realms/a',
    OIDC_CLIENT_ID: 'keyferry',
    VERIFIED_EMAIL_ISSUERS: 'https://idp.example.com/realms/a/',
  })
  expect(webSettings(settings, PLACE).provesEmail).toBe(true)
})

const PLACE = {
  api: { urls: [] },
  dataDir: '',
  sharedSecrets: [SECRET],
  metrics: null,
  version: '',
  sockets: null,
} as const

const identity = (environment: NodeJS.ProcessEnv) => webSettings(readSettings(environment), PLACE).identity

test('groups come from the claim that OIDC_GROUPS_CLAIM names, and from none without it', () => {
  const oidc = { AUTH_MODE: 'oidc', OIDC_ISSUER: 'https://idp.example.com', OIDC_CLIENT_ID: 'keyferry' }
  expect(identity({ ...oidc, OIDC_GROUPS_CLAIM: 'roles' })).toMatchObject({ groupsClaim: 'roles' })
  expect(identity(oidc)).not.toHaveProperty('groupsClaim')
  expect(identity(oidc)).toMatchObject({ absentIsNone: false })
  expect(identity({ ...oidc, OIDC_GROUPS_ABSENT: 'none' })).toMatchObject({ absentIsNone: true })
})

test('a database on a socket needs no host in its address', () => {
  const { DATABASE_URL } = readSettings({
    DATABASE_URL: 'postgres://sam:word@/keyferry?host=/cloudsql/a:b:c',
  })
  expect(DATABASE_URL).toBe('postgres://sam:word@localhost/keyferry?host=/cloudsql/a:b:c')
})
