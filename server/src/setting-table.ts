import { isIP } from 'node:net'
import { LIMITS, TIMES } from '@keyferry/contract'
import { z } from 'zod'
import * as read from './setting-values.ts'

/** One setting: what it is for, what its value must be, and how it is read. A value reaches no message. */
export type Setting = {
  readonly means: string
  /** Completes "NAME must be …". */
  readonly mustBe: string
  readonly schema: z.ZodType
  readonly isSecret?: true
}

const text = z.string().optional()
const port = z.coerce.number().int().min(0).max(65_535)
const bytes = z.coerce
  .number()
  .int()
  .min(1)
  .max(LIMITS.bodyBytes * 32)
const PORT = 'a whole number from 0 to 65535'
const SWITCH = '0 or 1'

/** Every setting there is, by the name of its environment variable. */
export const SETTINGS = {
  HOST: {
    means: 'address to listen on',
    mustBe: 'an IP address or a host name',
    schema: z
      .string()
      .refine((host) => isIP(host) > 0 || read.isHostName(host))
      .default('127.0.0.1'),
  },
  PORT: { means: 'port to listen on; 0 takes any free one', mustBe: PORT, schema: port.default(5393) },
  DATA_DIR: {
    means: 'folder of the embedded database, the root key and the socket',
    mustBe: 'a path',
    schema: z.string().default('./data'),
  },
  PUBLIC_URL: {
    means: 'address under which people and clients reach the web-facing layer; default: where it listens',
    mustBe: 'an http or https address without a path, for example https://keyferry.example.com',
    schema: read.origin.optional(),
  },
  DATABASE_URL: {
    means: 'PostgreSQL database; default: SQLite in DATA_DIR',
    mustBe: 'an address that begins with postgres:// or postgresql://',
    schema: read.url('postgres:', 'postgresql:').optional(),
    isSecret: true,
  },
  REDIS_URL: {
    means: 'Redis for approval requests, limits and sessions of several nodes; default: DATA_DIR',
    mustBe: 'an address that begins with redis:// or rediss://',
    schema: read.url('redis:', 'rediss:').optional(),
    isSecret: true,
  },
  ROOT_KEY: {
    means:
      'root key, base64 of 32 random bytes; several, separated by commas, while it is rotated: the first one wraps',
    mustBe: 'base64 of 32 random bytes (make one with: openssl rand -base64 32)',
    schema: read.rootKeys.optional(),
    isSecret: true,
  },
  ROOT_KEY_FILE: {
    means: 'file that holds ROOT_KEY; default with SQLite: root.key in DATA_DIR, made at the first start',
    mustBe: 'a path',
    schema: text,
  },
  AUTH_MODE: {
    means: 'how people sign in: local, accounts, oidc or clerk',
    mustBe: 'one of local, accounts, oidc, clerk',
    schema: z.enum(['local', 'accounts', 'oidc', 'clerk']).default('local'),
  },
  SETUP_CODE: {
    means:
      'code that creates the first account (AUTH_MODE=accounts); default: derived from the root key and printed at start',
    mustBe: '16 to 128 characters',
    schema: z.string().trim().min(16).max(LIMITS.setupCodeLength).optional(),
    isSecret: true,
  },
  BFF_SHARED_SECRET: {
    means:
      'secret between the web-facing layer and the API; several while it is rotated: the first one signs',
    mustBe: '32 bytes or more, random (make one with: openssl rand -base64 32)',
    schema: read.sharedSecrets.optional(),
    isSecret: true,
  },
  API_URL: {
    means: 'where keyferry-server web finds the API',
    mustBe: 'an http or https address without a path',
    schema: read.origin.optional(),
  },
  REQUEST_TTL: {
    means: 'lifetime of an approval request, in seconds',
    mustBe: 'a whole number of seconds from 1 to 86400',
    schema: z.coerce.number().int().min(1).max(86_400).default(TIMES.requestTtlSeconds),
  },
  APPROVAL_ASSURANCE: {
    means: 'compat: the approver compares the check code; typed: the approver types it',
    mustBe: 'compat or typed',
    schema: z.enum(['compat', 'typed']).default('compat'),
  },
  REQUIRE_SIGNATURE_V2: {
    means: 'whether the API insists on the signature that covers the whole request',
    mustBe: SWITCH,
    schema: read.flag,
  },
  DEV_ALLOW_PLAINTEXT: {
    means: 'whether values may be revealed and ciphertexts stored directly (development only)',
    mustBe: SWITCH,
    schema: read.flag,
  },
  TRUST_PROXY: {
    means: 'proxies whose X-Forwarded-For is believed, separated by commas',
    mustBe: 'addresses or networks such as 10.0.0.5 or 10.0.0.0/8, separated by commas',
    schema: read.networks,
  },
  MAX_PAYLOAD_BYTES: {
    means: 'largest set of values that one approval seals',
    mustBe: 'a whole number of bytes',
    schema: bytes.default(LIMITS.payloadBytes),
  },
  MAX_BODY_BYTES: {
    means: 'largest request body',
    mustBe: 'a whole number of bytes',
    schema: bytes.default(LIMITS.bodyBytes),
  },
  MAX_LIVE_REQUESTS: {
    means: 'approval requests that may be open at one time; beyond that, new ones get 503',
    mustBe: 'a whole number from 1 to 10000000',
    schema: z.coerce.number().int().min(1).max(10_000_000).default(LIMITS.liveRequests),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    means:
      'connections that one address may hold to the web-facing layer; proxies in TRUST_PROXY have no bound',
    mustBe: 'a whole number from 1',
    schema: z.coerce.number().int().min(1).default(2_000),
  },
  OIDC_ISSUER: {
    means: 'issuer of the OpenID Connect provider',
    mustBe: 'an https address (http on loopback only)',
    schema: read.issuer.optional(),
  },
  OIDC_CLIENT_ID: { means: 'our client id at the provider', mustBe: 'a text', schema: text },
  OIDC_CLIENT_SECRET: {
    means: 'our client secret at the provider; none: a public client',
    mustBe: 'a text',
    schema: text,
    isSecret: true,
  },
  OIDC_TRUST_EMAIL: {
    means:
      'whether an e-mail address counts as verified when the provider sends no email_verified; only verified addresses accept invitations',
    mustBe: SWITCH,
    schema: read.flag,
  },
  CLERK_ISSUER: {
    means: "issuer of the provider's session tokens",
    mustBe: 'an https address (http on loopback only)',
    schema: read.issuer.optional(),
  },
  CLERK_JWT_KEY: {
    means: "public key of the provider's session tokens; default: the issuer's key set",
    mustBe: 'a public key in PEM form',
    schema: read.publicKeyPem.optional(),
  },
  CLERK_PUBLISHABLE_KEY: { means: 'publishable key at the provider', mustBe: 'a text', schema: text },
  CLERK_SECRET_KEY: {
    means: 'secret key at the provider, to read e-mail addresses with',
    mustBe: 'a text',
    schema: text,
    isSecret: true,
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
      'least important log lines to write: trace, debug, info, warn, error, fatal or silent; default: warn with AUTH_MODE=local, else info',
    mustBe: 'one of fatal, error, warn, info, debug, trace, silent',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  },
  METRICS_HOST: {
    means: 'address of /metrics',
    mustBe: 'an IP address or a host name',
    schema: z
      .string()
      .refine((host) => isIP(host) > 0 || read.isHostName(host))
      .default('127.0.0.1'),
  },
  METRICS_PORT: { means: 'port of /metrics; none: not served', mustBe: PORT, schema: port.optional() },
  NODE_ENV: {
    means: 'development allows DEV_ALLOW_PLAINTEXT with sign-in, or with keyferry-server api',
    mustBe: 'a text',
    schema: text,
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS

/** All settings, read. */
export type Settings = { readonly [N in SettingName]: z.output<(typeof SETTINGS)[N]['schema']> }
