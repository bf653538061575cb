import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { apiSettings } from '../src/api-settings.ts'
import { readSettings } from '../src/settings/settings.ts'
import { webSettings } from '../src/web-settings.ts'

const ROOT_KEY = randomBytes(32).toString('base64')
const SECRET = randomBytes(32).toString('base64')
const PLACE = { dataDir: '/data', sharedSecrets: ['own'], version: '1.2.3' } as const

const ofApi = (environment: NodeJS.ProcessEnv) =>
  apiSettings(readSettings(environment), {
    ...PLACE,
    listen: { socketPath: '/data/api.sock' },
    rootKeys: [ROOT_KEY],
  })

const ofWeb = (environment: NodeJS.ProcessEnv, sockets: readonly number[] | null = null) =>
  webSettings(readSettings(environment), {
    ...PLACE,
    api: { urls: ['http://api:1'] },
    metrics: null,
    sockets,
  })

test('without settings, the API uses its defaults', () => {
  const { warnings, ...settings } = ofApi({})
  expect(warnings?.()).toEqual([])
  expect(settings).toMatchObject({
    ...PLACE,
    databaseUrl: null,
    redisUrl: null,
    publicHost: 'keyferry',
    authMode: 'local',
    signInAgainSeconds: 0,
    setupCode: null,
    signUp: 'everyone',
    publicUrl: null,
    mail: null,
    egressProxy: null,
    metrics: null,
    logLevel: 'warn',
  })
})

test('each setting has its effect in the API', () => {
  const mail = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'keyferry@example.com' }
  expect(
    ofApi({
      ...mail,
      AUTH_MODE: 'oidc',
      SIGN_IN_AGAIN_SECONDS: '900',
      PUBLIC_URL: 'https://keyferry.example.com',
      DATABASE_URL: 'postgres://db.example/keyferry',
      REDIS_URL: 'redis://cache.example',
      BFF_SHARED_SECRET: SECRET,
      SETUP_CODE: 'x'.repeat(40),
      SIGN_UP: 'example.com',
      EGRESS_PROXY: 'http://proxy.example:1',
      METRICS_HOST: '10.0.0.5',
      METRICS_PORT: '9000',
      AUDIT_RETENTION_DAYS: '500',
      DELIVERY_RETENTION_DAYS: '501',
      DEPOSIT_RETENTION_DAYS: '502',
      REQUEST_TTL: '301',
      WAITING_TTL: '1801',
    }),
  ).toMatchObject({
    databaseUrl: 'postgres://db.example/keyferry',
    redisUrl: 'redis://cache.example',
    publicHost: 'keyferry.example.com',
    publicUrl: 'https://keyferry.example.com',
    sharedSecrets: [SECRET],
    authMode: 'oidc',
    signInAgainSeconds: 900,
    setupCode: 'x'.repeat(40),
    signUp: ['example.com'],
    mail: { url: mail.SMTP_URL, from: mail.MAIL_FROM, publicUrl: 'https://keyferry.example.com' },
    egressProxy: 'http://proxy.example:1',
    metrics: { host: '10.0.0.5', port: 9000 },
    retentionDays: { audit: 500, deliveries: 501, deposits: 502 },
    requestTtlSeconds: 301,
    waitingSeconds: 1801,
    logLevel: 'info',
  })
})

test.each([
  ['accounts', 900],
  ['oidc', 900],
  ['clerk', 0],
  ['local', 0],
])(
  'with AUTH_MODE=%s and SIGN_IN_AGAIN_SECONDS=900, the API limits a sign-in to %i s (0: no limit)',
  (AUTH_MODE, seconds) => {
    expect(ofApi({ AUTH_MODE, SIGN_IN_AGAIN_SECONDS: '900' }).signInAgainSeconds).toBe(seconds)
  },
)

test('the web-facing layer sends the time of a sign-in only if SIGN_IN_AGAIN_SECONDS is set', () => {
  expect(ofWeb({ AUTH_MODE: 'accounts', SIGN_IN_AGAIN_SECONDS: '1' }).saysSignIn).toBe(true)
  expect(ofWeb({ AUTH_MODE: 'accounts', SIGN_IN_AGAIN_SECONDS: '0' }).saysSignIn).toBe(false)
})

test.each([
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM is missing: SMTP_URL needs it'],
  [
    { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'keyferry@example.com' },
    'PUBLIC_URL is missing: SMTP_URL needs it',
  ],
])('mails cannot be sent with %o: %s', (environment, says) => {
  expect(() => ofApi(environment)).toThrow(says)
})

test('each setting has its effect in the web-facing layer', () => {
  expect(ofWeb({})).toMatchObject({
    ...PLACE,
    listen: { host: '127.0.0.1', port: 5393 },
    publicUrl: null,
    redisUrl: null,
    securityContact: null,
    clientDir: resolve('release/dist'),
    identityWebhookSecret: null,
    identity: { mode: 'local' },
    logLevel: 'warn',
  })
  expect(
    ofWeb(
      {
        AUTH_MODE: 'accounts',
        PUBLIC_URL: 'https://keyferry.example.com',
        SECURITY_CONTACT: 'mailto:a@example.com',
        REDIS_URL: 'redis://cache.example',
        BFF_SHARED_SECRET: SECRET,
        CLIENT_DIR: '/client',
        SESSION_IDLE_SECONDS: '3600',
        SESSION_MAX_SECONDS: '7200',
        IDENTITY_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}`,
      },
      [3],
    ),
  ).toMatchObject({
    listen: { sockets: [3] },
    publicUrl: 'https://keyferry.example.com',
    securityContact: 'mailto:a@example.com',
    redisUrl: 'redis://cache.example',
    sharedSecrets: [SECRET],
    clientDir: '/client',
    sessionTimes: { idleMs: 3_600_000, maxMs: 7_200_000 },
    identityWebhookSecret: `whsec_${'A'.repeat(32)}`,
    identity: { mode: 'accounts' },
    logLevel: 'info',
  })
})

test.each([
  [{}, { secretKey: null, jwtKey: null, authorizedParties: [] }],
  [{ PUBLIC_URL: 'https://k.example' }, { authorizedParties: ['https://k.example'] }],
  [
    { PUBLIC_URL: 'https://k.example', CLERK_AUTHORIZED_PARTIES: 'https://a.example' },
    { authorizedParties: ['https://a.example'] },
  ],
  [
    { CLERK_SECRET_KEY: 'sk', CLERK_API_URL: 'https://api.example/' },
    { secretKey: 'sk', apiUrl: 'https://api.example' },
  ],
])('Clerk is configured by %o', (more, identity) => {
  const clerk = { AUTH_MODE: 'clerk', CLERK_ISSUER: 'https://c.example', CLERK_PUBLISHABLE_KEY: 'pk' }
  expect(ofWeb({ ...clerk, ...more }).identity).toMatchObject({
    mode: 'clerk',
    issuer: 'https://c.example',
    publishableKey: 'pk',
    ...identity,
  })
})
