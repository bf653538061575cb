import { join } from 'node:path'
import { expect, test } from 'vitest'
import { helpText } from '../src/help.ts'
import { requireSafeStart, requireSocketsOfOthers } from '../src/safe-start.ts'
import { SETTINGS } from '../src/settings/setting-table.ts'
import { readSettings } from '../src/settings/settings.ts'

/*
 * Which values a setting takes, and what an operator reads otherwise, must match wrong-settings.txt. After an intended
 * change, run this test with -u and read the difference.
 */

const VALUES = [
  ['0', '1', '2', '-1', '1.5', '64', '65535', '65536', '1048575', '1048576', '999999999999', 'true', 'yes'],
  ['x', 'x y', ' x', '"x"', 'x\ny', 'a@example.com', '/x', './x', 'x:y', '{}', '[]', '{"x": "y"}'],
  ['example.com', '10.0.0.5', '10.0.0.0/8', '0.0.0.0/0', '::1', '10.0.0.5, 10.0.0.6', '127.0.0.1/33'],
  ['http://example.com', 'https://example.com', 'https://example.com/x', 'https://example.com/?x'],
  [
    'http://127.0.0.1',
    'http://localhost:1',
    'https://a.example,https://b.example',
    'https://u:p@example.com',
  ],
  ['https://example.com/.well-known/x', 'postgres://u:p@example.com/x', 'mysql://example.com/x'],
  ['redis://example.com', 'rediss://example.com/1', 'redis+sentinel://a.example,b.example/m'],
  ['smtp://example.com', 'smtps://u:p@example.com:465', 'smtp://u:p#@example.com'],
  ['local', 'accounts', 'oidc', 'clerk', 'compat', 'bound', 'keep', 'none', 'info', 'X-Forwarded-For'],
  [Buffer.alloc(32).toString('base64'), Buffer.alloc(31).toString('base64'), 'whsec_AAAA', 'x'.repeat(31)],
  ['x'.repeat(32), '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
].flat()

/** @returns null: it is valid */
function refusalOf(name: string, value: string): string | null {
  try {
    readSettings({ [name]: value })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

// What all settings refuse is said once.
const OF_ALL = /^\w+ (has a blank at an end|is in quotes)/

test('a setting takes these values, and says what it must be otherwise', async () => {
  const strays = VALUES.filter((value) => OF_ALL.test(refusalOf('PORT', value) ?? ''))
  const texts = Object.keys(SETTINGS).map((name) => {
    const answers = VALUES.map((value) => ({ value, refusal: refusalOf(name, value) }))
    const refusals = answers.flatMap(({ refusal }) =>
      refusal === null || OF_ALL.test(refusal) ? [] : [`  ${refusal}`],
    )
    const valid = answers.flatMap(({ value, refusal }) => (refusal === null ? [JSON.stringify(value)] : []))
    const isAny = valid.length + strays.length === VALUES.length
    return [
      name,
      ...new Set(refusals),
      `  takes ${isAny ? 'any text' : valid.join(' ') || 'none of them'}`,
    ].join('\n')
  })
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'wrong-settings.txt'))
})

const ROOT_KEY = Buffer.from(Array.from({ length: 32 }, (_, n) => n * 7)).toString('base64')
const API = { BFF_SHARED_SECRET: ROOT_KEY }
const STORED = { DATABASE_URL: 'postgres://db.example/keyferry' }
const OIDC = { AUTH_MODE: 'oidc', OIDC_ISSUER: 'https://id.example' }
const CLERK = { AUTH_MODE: 'clerk', CLERK_ISSUER: 'https://clerk.example' }
const ACCOUNTS = { AUTH_MODE: 'accounts' }

/** Settings that are fine alone. */
const STARTS: readonly (readonly ['all' | 'api' | 'web', NodeJS.ProcessEnv])[] = [
  ['all', {}],
  ['all', { HOST: '0.0.0.0' }],
  ['all', { METRICS_PORT: '5393' }],
  ['all', { DEV_ALLOW_PLAINTEXT: '1' }],
  ['all', { ...ACCOUNTS, DEV_ALLOW_PLAINTEXT: '1' }],
  ['api', { ...API, DEV_ALLOW_PLAINTEXT: '1' }],
  ['api', {}],
  ['web', API],
  ['all', STORED],
  ['all', { ROOT_KEY, ROOT_KEY_FILE: '/root.key' }],
  ['all', { ROOT_KEY, ROOT_KEY_FROM: 'command:/keeper' }],
  ['all', { SETUP_CODE: 'a code of 16 letters' }],
  ['all', { OIDC_ISSUER: 'https://id.example' }],
  ['all', { CLERK_ISSUER: 'https://clerk.example' }],
  ['all', { AUTH_MODE: 'oidc' }],
  ['all', OIDC],
  ['all', CLERK],
  ['all', { ...ACCOUNTS, HOST: '0.0.0.0' }],
  ['all', { ...ACCOUNTS, PUBLIC_URL: 'http://keyferry.example' }],
  ['all', { ...ACCOUNTS, PUBLIC_URL: 'https://keyferry.example' }],
]

function startOf(act: () => void): string {
  try {
    act()
    return 'starts'
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}

test('valid and invalid settings, and the help', async () => {
  const starts = STARTS.map(([role, environment]) => {
    const answer = startOf(() => requireSafeStart(readSettings(environment), role))
    return `${role} ${JSON.stringify(environment)}\n  ${answer}`
  })
  const sockets = (['all', 'api'] as const).flatMap((role) =>
    [{}, ACCOUNTS, { ...ACCOUNTS, PUBLIC_URL: 'https://keyferry.example' }].map((environment) => {
      const answer = startOf(() => requireSocketsOfOthers(readSettings(environment), role))
      return `${role}, sockets of others, ${JSON.stringify(environment)}\n  ${answer}`
    }),
  )
  const texts = [...starts, ...sockets, helpText()]
  await expect(texts.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'starts.txt'))
})
