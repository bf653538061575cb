import { AssuranceField, AUTH_MODES, type AuthMode, LIMITS, RATES, TIMES } from '@keyferry/contract'
import { joined } from '@keyferry/contract/joined'
import { z } from 'zod'
import * as modules from './modules.ts'
import * as read from './setting-values.ts'

/** One setting: its purpose, what its value must be, and how to parse it. No message ever contains the value. */
export type Setting = {
  readonly means: string
  /** Completes "NAME must be …". */
  readonly mustBe: string
  readonly schema: z.ZodType
  readonly isSecret?: true
  /** The only AUTH_MODE that it belongs to. */
  readonly mode?: AuthMode
}

const port = z.coerce.number().int().min(0).max(65_535)
const PORT = 'a whole number from 0 to 65535'
const MODES = AUTH_MODES.join(', ')
const KEPT_DAYS = read.wholeNumber(0, 36_500, 0)
const bytes = (otherwise: number) => ({
  ...read.wholeNumber(1, LIMITS.bodyBytes * 32, otherwise),
  mustBe: 'a whole number of bytes',
})

/** All settings, by the name of their environment variable. */
export const SETTINGS = {
  HOST: {
    means: 'address to listen on',
    ...read.HOST,
  },
  PORT: { means: 'port to listen on; 0 picks any free port', mustBe: PORT, schema: port.default(5393) },
  DATA_DIR: {
    means: 'folder for the SQLite database, the root key and the socket',
    mustBe: 'a path',
    schema: z.string().default('./data'),
  },
  PUBLIC_URL: {
    means: 'URL at which people and clients reach the web-facing layer; default: the address it listens on',
    mustBe: 'an http or https address without a path, for example https://keyferry.example.com',
    schema: read.origin.optional(),
  },
  SECURITY_CONTACT: {
    means: 'contact for people who find a vulnerability in this server; shown at /.well-known/security.txt',
    mustBe: 'a mailto: or https: address, for example mailto:security@example.com',
    schema: z
      .string()
      .regex(/^(mailto:|https:\/\/)[!-~]+$/)
      .optional(),
  },
  CLIENT_DIR: {
    means:
      'folder with the files of the client that /install.sh hands out; default: release/dist, where npm run release puts them',
    ...read.PATH,
  },
  DATABASE_URL: {
    means:
      'PostgreSQL database; several hosts separated by commas: connections go to the one that takes writes; default: SQLite in DATA_DIR',
    mustBe: `an address that begins with postgres:// or postgresql://; ${read.ESCAPED}; sslmode is disable or verify-full`,
    schema: read.databaseUrl.optional(),
    isSecret: true,
  },
  DATABASE_CONNECTIONS: {
    means: 'connections to PostgreSQL that one API node opens at most',
    ...read.wholeNumber(1, 1_000, 12),
  },
  REDIS_URL: {
    means:
      'Redis for sessions, rate limits and notices when you run several nodes; a cluster: nodes separated by commas; sentinels: redis+sentinel://host,host/master; default: files in DATA_DIR',
    mustBe: `an address that begins with redis:// or rediss://, or with redis+sentinel:// and names a master; ${read.ESCAPED}`,
    schema: read.redisUrl.optional(),
    isSecret: true,
  },
  ROOT_KEY: {
    means:
      'root key, base64 of 32 random bytes; during a rotation list several, separated by commas: the first encrypts',
    mustBe: 'base64 of 32 random bytes (make one with: openssl rand -base64 32)',
    schema: read.rootKeys.optional(),
    isSecret: true,
  },
  ROOT_KEY_FILE: {
    means: 'file with the root key; default with SQLite: root.key in DATA_DIR, created at the first start',
    ...read.PATH,
  },
  ROOT_KEY_FROM: {
    means: 'program that keeps the root key; the file then holds the key as the program wrapped it',
    mustBe: 'command: and the absolute path of a program, for example command:/usr/lib/keyferry/keeper-tpm',
    schema: z.string().refine(read.isKeeperId).optional(),
  },
  AUTH_MODE: {
    means: `how people sign in: ${MODES}`,
    mustBe: `one of ${MODES}`,
    schema: z.enum(AUTH_MODES).default('local'),
  },
  SIGN_UP: {
    means:
      'who may sign in for the first time (AUTH_MODE=oidc or clerk): everyone (default), invited (with an invitation), or domains whose verified e-mail addresses need none, separated by commas; the first person may',
    mustBe: 'everyone, invited, or domains such as example.com, separated by commas',
    schema: read.signUp.optional(),
  },
  SESSION_IDLE_SECONDS: {
    means: 'seconds without use after which a session ends (AUTH_MODE=accounts or oidc)',
    ...read.wholeNumber(60, 7_776_000, TIMES.sessionIdleSeconds, 'seconds'),
  },
  SESSION_MAX_SECONDS: {
    means: 'seconds after which a session ends in any case (AUTH_MODE=accounts or oidc)',
    ...read.wholeNumber(60, 7_776_000, TIMES.sessionMaxSeconds, 'seconds'),
  },
  SIGN_IN_AGAIN_SECONDS: {
    means:
      "seconds after a sign-in until an owner's act that loosens something asks to sign in again; 0: off (AUTH_MODE=accounts or oidc)",
    ...read.wholeNumber(0, 7_776_000, 0, 'seconds'),
  },
  ...joined(modules, 'settings'),
  BFF_SHARED_SECRET: {
    means:
      'secret shared by the web-facing layer and the API; during a rotation list several, separated by commas: the first signs',
    mustBe: '32 bytes or more, random (make one with: openssl rand -base64 32)',
    schema: read.sharedSecrets.optional(),
    isSecret: true,
  },
  API_URL: {
    means:
      'URL of the API, for keyferry-server web; of several nodes separated by commas: if one refuses the connection, the next gets the call',
    mustBe: 'http or https addresses without a path, separated by commas',
    schema: read.origins,
  },
  REQUEST_TTL: {
    means: 'lifetime of an approval request, in seconds',
    ...read.wholeNumber(1, 86_400, TIMES.requestTtlSeconds, 'seconds'),
  },
  WAITING_TTL: {
    means: 'time, in seconds, that a request waits for another person: an owner, or the second of two',
    ...read.wholeNumber(1, 86_400, TIMES.waitingSeconds, 'seconds'),
  },
  APPROVAL_ASSURANCE: {
    means:
      'what every approval takes, from the weakest: compat (compare the check code), bound (return the approval to the terminal), local (return it on the same machine)',
    mustBe: 'one of compat, bound, local',
    schema: AssuranceField.default('compat'),
  },
  REQUIRE_SIGNATURE_V2: {
    means: '1: the API accepts only calls whose signature covers the whole request',
    ...read.OFF,
  },
  MACHINE_TOKENS: {
    means: '0: machines cannot prove themselves with tokens, and no token is made',
    ...read.ON,
  },
  ALLOW_PRIVATE_TARGETS: {
    means:
      'networks beside the public internet that the API may call for machines and webhooks, separated by commas',
    mustBe: 'addresses or networks such as 10.0.0.5 or 10.0.0.0/8, separated by commas',
    schema: read.networks,
  },
  EGRESS_PROXY: {
    means:
      'HTTP proxy for the calls of the API to issuers of ID tokens and to webhooks; it has to refuse private networks',
    mustBe: 'an http or https address without a path, for example http://proxy.example.com:3128',
    schema: read.proxy.optional(),
  },
  SMTP_URL: {
    means:
      'server that takes mails; smtp:// needs STARTTLS, except on this machine; without it Keyferry sends no mails',
    mustBe: `an address such as smtps://user:password@mail.example.com; ${read.ESCAPED}`,
    schema: read.smtpUrl.optional(),
    isSecret: true,
  },
  MAIL_FROM: {
    means: 'sender of mails (SMTP_URL)',
    mustBe: 'an e-mail address, for example keyferry@example.com',
    schema: z.email().optional(),
  },
  DEV_ALLOW_PLAINTEXT: {
    means:
      '1: callers may read values, except those that rules keep from them, and store ciphertexts directly (development only)',
    ...read.OFF,
  },
  TRUST_PROXY: {
    means: "proxies that name the client's address, separated by commas",
    mustBe: 'addresses or networks such as 10.0.0.5 or 10.0.0.0/8, separated by commas; not all addresses',
    schema: read.networks.refine((list) => list.every((network) => !network.endsWith('/0'))),
  },
  TRUST_PROXY_HEADER: {
    means: 'the one header in which proxies of TRUST_PROXY name the client; all others are ignored',
    mustBe: 'the name of a header, such as X-Forwarded-For, Forwarded or CF-Connecting-IP',
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/i)
      .default('X-Forwarded-For'),
  },
  MAX_PAYLOAD_BYTES: {
    means: 'largest total size of the values in one delivery',
    ...bytes(LIMITS.payloadBytes),
  },
  VERSIONS_KEPT: {
    means: 'versions of one key that are kept, with the current one; 0 keeps all',
    ...read.wholeNumber(0, 1_000_000, LIMITS.versionsKept),
  },
  AUDIT_RETENTION_DAYS: { means: 'days that entries of the audit log are kept; 0 keeps all', ...KEPT_DAYS },
  DELIVERY_RETENTION_DAYS: { means: 'days that deliveries are kept; 0 keeps all', ...KEPT_DAYS },
  DEPOSIT_RETENTION_DAYS: { means: 'days that ended deposits are kept; 0 keeps all', ...KEPT_DAYS },
  MAX_BODY_BYTES: {
    means: 'largest request body',
    ...bytes(LIMITS.bodyBytes),
  },
  REQUESTS_PER_MINUTE: {
    means:
      'new approval requests a minute from one network address, or from one terminal with a key there (ten times as many for the address); beyond that, 429. The limits of deposits grow with it',
    ...read.wholeNumber(1, 10_000, RATES.createRequest.calls),
  },
  USERS_PER_MINUTE: {
    means: 'new people a minute that unsigned calls from one network address may create; beyond that, 429',
    ...read.wholeNumber(1, 1_000_000, RATES.createUser.calls),
  },
  MAX_LIVE_REQUESTS: {
    means: 'approval requests that may be open at one time; beyond that, new ones get 503',
    ...read.wholeNumber(1, 10_000_000, LIMITS.liveRequests),
  },
  MAX_WAITING_DEPOSIT_BYTES: {
    means: 'bytes that all deposits that wait for approval may take; beyond that, new ones get 503',
    ...bytes(LIMITS.waitingDepositBytes),
  },
  MAX_BUNDLE_ENTRIES: {
    means: 'keys that one bundle may hold; beyond that, 409',
    ...read.wholeNumber(1, 1_000_000, LIMITS.bundleEntries),
  },
  MAX_TENANT_BYTES: {
    means: 'bytes that the stored values of one workspace may take, with 512 for each; beyond that, 409',
    mustBe: 'a whole number of bytes, 1048576 or more',
    schema: z.coerce.number().int().min(1_048_576).default(LIMITS.tenantBytes),
  },
  MAX_WORKSPACES_PER_PERSON: {
    means: 'workspaces that one person can create; beyond that, 409',
    ...read.wholeNumber(1, 1_000_000, LIMITS.workspacesPerPerson),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    means:
      'connections to the web-facing layer that one address may hold open; proxies in TRUST_PROXY have no limit',
    ...read.wholeNumber(1, null, 2_000),
  },
  DRAIN_SECONDS: {
    means:
      'seconds after SIGTERM in which new connections still work and /readyz answers 503; longer than your load balancer takes to notice',
    ...read.wholeNumber(0, 300, 0),
  },
  STOP_SECONDS: {
    means: 'seconds that running calls have to end after that',
    ...read.wholeNumber(1, 300, 4),
  },
  OIDC_ISSUER: {
    means: 'issuer of the OpenID Connect provider',
    ...read.ISSUER,
    mode: 'oidc',
  },
  OIDC_CLIENT_ID: { means: 'client id that the provider gave you', ...read.TEXT, mode: 'oidc' },
  OIDC_CLIENT_SECRET: {
    means: 'client secret that the provider gave you; leave it out for a public client',
    ...read.TEXT,
    isSecret: true,
    mode: 'oidc',
  },
  OIDC_TRUST_EMAIL: {
    means:
      '1: an e-mail address counts as verified if the provider sends no email_verified; only verified addresses can accept invitations',
    ...read.OFF,
  },
  OIDC_GROUPS_CLAIM: {
    means:
      'claim of the provider that lists the groups of a person; it fills those of OIDC_GROUPS (on web nodes)',
    ...read.TEXT,
    mode: 'oidc',
  },
  OIDC_GROUPS_ABSENT: {
    means: 'what a person without OIDC_GROUPS_CLAIM has: keep (the groups from before) or none',
    mustBe: 'one of keep, none',
    schema: z.enum(['keep', 'none']).default('keep'),
  },
  OIDC_GROUPS: {
    means: 'which value of OIDC_GROUPS_CLAIM fills which group, by its id (on API nodes)',
    mustBe: 'JSON such as {"sre": "0190d7a0-…"}',
    schema: read.groups,
  },
  VERIFIED_EMAIL_ISSUERS: {
    means:
      'issuers whose word that an e-mail address is verified counts, separated by commas; default: the issuer of AUTH_MODE',
    mustBe: 'https addresses, separated by commas',
    schema: read.issuers,
  },
  CLERK_ISSUER: {
    means: "issuer of the provider's session tokens",
    ...read.ISSUER,
    mode: 'clerk',
  },
  CLERK_JWT_KEY: {
    means: "public key of the provider's session tokens; default: the issuer's key set",
    mustBe: 'a public key in PEM form',
    schema: read.publicKeyPem.optional(),
    mode: 'clerk',
  },
  CLERK_PUBLISHABLE_KEY: {
    means: 'publishable key that the provider gave you',
    ...read.TEXT,
    mode: 'clerk',
  },
  CLERK_SECRET_KEY: {
    means: 'secret key that the provider gave you, to look up e-mail addresses',
    ...read.TEXT,
    isSecret: true,
    mode: 'clerk',
  },
  CLERK_API_URL: {
    means: "origin of the provider's own API",
    mustBe: 'an https address without a path (http on loopback only)',
    schema: read.issuer.default('https://api.clerk.com'),
  },
  CLERK_AUTHORIZED_PARTIES: {
    means: 'origins whose tokens are accepted, separated by commas; default: PUBLIC_URL',
    mustBe: 'origins such as https://keyferry.example.com, separated by commas',
    schema: read.origins,
  },
  IDENTITY_WEBHOOK_SECRET: {
    means: "secret of the identity provider's webhook",
    mustBe: 'whsec_ followed by base64, as the provider shows it',
    schema: read.webhookSecret.optional(),
    isSecret: true,
  },
  LOG_LEVEL: {
    means:
      'lowest level to log: trace, debug, info, warn, error, fatal or silent; default: warn with AUTH_MODE=local, otherwise info',
    mustBe: 'one of fatal, error, warn, info, debug, trace, silent',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  },
  METRICS_HOST: {
    means: 'address to serve /metrics on',
    ...read.HOST,
  },
  METRICS_PORT: {
    means: 'port to serve /metrics on; default: not served',
    mustBe: PORT,
    schema: port.optional(),
  },
  TIME_LIMIT_FACTOR: {
    means:
      'multiplies the time limits of calls to the database, to Redis and to API nodes, for a slow machine or network',
    ...read.wholeNumber(1, 100, 1),
  },
  NODE_ENV: {
    means: 'development: allows DEV_ALLOW_PLAINTEXT together with sign-in or with keyferry-server api',
    ...read.TEXT,
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

export type Settings = { readonly [N in SettingName]: z.output<(typeof SETTINGS)[N]['schema']> }
