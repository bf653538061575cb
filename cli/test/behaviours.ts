import { keyBinding } from '@keyferry/crypto/key-binding'
import { LIST_BEHAVIOURS } from './list-behaviours.ts'
import {
  type Answer,
  type Asked,
  type Behaviour,
  createdAnswer,
  delivery,
  gone,
  signedDelivery,
} from './scripted-server.ts'
import { touchedDelivery } from './touched-delivery.ts'

/** A token with a right checksum. */
const TOKEN = 'kfm_Zu4Af1hEPvrr1Jl52fl5mhoAyP15JXuDKcjxKCLWMM00B0UBJ'

// Clears the screen, turns the reading direction round, rings.
const HOSTILE_TEXT = '\u001b[2J\u001b]0;owned\u0007\u202egnp\u0000\r\nkeyferry: approved'

/** Servers by name, for sessions: those that a client must cope with, and those that must not deceive it. */
export const BEHAVIOURS = {
  approves: {},
  ...LIST_BEHAVIOURS,
  'wants a sign-in': { authMode: 'oidc' },
  'approves long values': { wait: (asked) => delivery(asked, LONG_VALUES) },
  'approves another bundle': {
    wait: (asked) => delivery(asked, VALUES, { bundle: { id: 'e5a7d1c2', name: 'ops/prod' } }),
  },
  'approves in another workspace': {
    wait: (asked) => delivery(asked, VALUES, { workspace: { id: 'e5a7d1c2', name: 'Private' } }),
  },
  // The signed workspace has the same name; the answer beside it has the id that is asked for.
  'approves in a workspace of the same name': {
    authMode: 'oidc',
    wait: (asked) =>
      signedDelivery(asked, VALUES, {
        workspace: { id: 'e5a7d1c2-0c5e-4f0e-9a55-7a10f0b6a0e3', name: 'Acme' },
      }),
  },
  'approves without required keys': {
    wait: (asked) => delivery(asked, VALUES, { missing_required: ['SMTP_PASSWORD', 'API_TOKEN'] }),
  },
  'approves an expired value': {
    wait: (asked) => delivery(asked, VALUES, { expired: ['GREETING'] }),
  },
  'does not name the bundle': {
    wait: (asked) => delivery(asked, VALUES, { bundle: undefined, workspace: undefined }),
  },
  'names a bundle badly': { wait: (asked) => delivery(asked, VALUES, { bundle: 'dev/app' }) },
  'returns by code': {
    create: (asked) => changed(asked, { interval: 1, assurance: 'bound' }),
    wait: (_asked, _count, isReleased) =>
      isReleased ? {} : { body: { status: 'pending', needs: 'release', release_by: 'code' } },
  },
  'remembers an approval': {
    create: (asked) => changed(asked, { remembered: REMEMBERED }),
  },
  'asks again': {
    create: (asked) => changed(asked, { asks_again: 'other_command', differs: 'argument 1 differs' }),
  },
  'asks again for a new reason': { create: (asked) => changed(asked, { asks_again: 'full_moon' }) },
  'remembers badly': { create: (asked) => changed(asked, { remembered: { uses_left: 47 } }) },
  'takes no key of a terminal': {
    create: ({ body }) =>
      body['device'] === undefined
        ? {}
        : { status: 400, body: { error: 'device.time', code: 'invalid', details: { field: 'device' } } },
  },
  'remembers for folders only': {
    create: (asked) => {
      const { device, use } = asked.body
      const isKnown = typeof use === 'object' && use !== null && !('repository' in use)
      if (device !== undefined && isKnown) return changed(asked, { remembered: REMEMBERED })
      return {
        status: 400,
        body: { error: 'device.signature', code: 'invalid', details: { field: 'device' } },
      }
    },
  },
  'signs with another signing key each time': { wait: (asked) => touchedDelivery(asked, VALUES) },
  'signs receipts': { wait: (asked) => signedDelivery(asked, VALUES) },
  'signs after a code': { wait: (asked) => signedDelivery(asked, VALUES, { released_by: 'code' }) },
  'signs another request': { wait: (asked) => signedDelivery(asked, VALUES, { request_id: 'x' }) },
  'signs other values': { wait: (asked) => signedDelivery(asked, VALUES, { ciphertext_sha256: 'x' }) },
  'signs another command': { wait: (asked) => signedDelivery(asked, VALUES, { argv_sha256: 'x' }) },
  'signs other names': { wait: (asked) => signedDelivery(asked, VALUES, { keys: [{ name: 'EVIL' }] }) },
  'signs a new form': { wait: (asked) => signedDelivery(asked, VALUES, { v: 2 }) },
  'signs what is not secret': {
    wait: (asked) => signedDelivery(asked, LONG_VALUES, { public: ['DATABASE_URL'] }),
  },
  'knows a token': {
    machine: ({ authorization }) =>
      authorization === `Bearer ${TOKEN}` ? {} : refusedMachine(401, 'unauthorized', 'unknown token'),
  },
  'gives a machine what is not secret': { marks: { public: ['GREETING'] } },
  'marks other values for a machine': { marks: { public: ['GREETING'], of: '00' } },
  'takes bound ID tokens': {
    machine: ({ authorization, body }) => {
      const key = Buffer.from(String(body['client_pubkey']), 'base64')
      const isBound = authorization.endsWith(`/key/${keyBinding(key)}`)
      return isBound && body['machine_id'] === 'm1' ? {} : refusedMachine(403, 'token_not_bound', 'not bound')
    },
  },
  'does not trust the identity': {
    machine: () => ({
      status: 403,
      body: {
        error: 'this identity is not trusted',
        code: 'identity_not_trusted',
        details: { differs: ['ref', 'environment'], seen: {} },
      },
    }),
  },
  'has granted nothing': { machine: () => refusedMachine(403, 'not_granted', 'this bundle is not granted') },
  'is busy for machines': {
    machine: (_call, count) =>
      count < 3 ? { status: 503, body: { error: 'unavailable' }, headers: { 'retry-after': '0' } } : {},
  },
  'is away for machines': {
    machine: () => ({ status: 503, body: { error: 'unavailable' }, headers: { 'retry-after': '0' } }),
  },
  'lacks a key': {
    machine: ({ body }) => {
      const names: unknown = body['include_keys']
      if (!Array.isArray(names) || !names.includes('MORE')) return {}
      const error = 'the bundle has no key MORE'
      return { status: 400, body: { error, code: 'invalid', details: { keys: ['MORE'] } } }
    },
  },
  'needs a second person': {
    create: (asked) => changed(asked, { interval: 1 }),
    wait: (_asked, count) => (count === 1 ? { body: { status: 'pending', needs: 'second_person' } } : {}),
  },
  'needs an owner': {
    create: (asked) => changed(asked, { interval: 1 }),
    wait: (_asked, count) =>
      count === 1
        ? {
            body: {
              status: 'pending',
              needs: 'approver',
              deciders: { who: 'owner', count: 2 },
              expires_in: 1_800,
            },
          }
        : {},
  },
  'needs something new': { wait: () => ({ body: { status: 'pending', needs: 'a_fax' } }) },
  denies: { wait: () => gone('request_denied') },
  'denies agents': { wait: () => gone('request_denied', { reason: 'agents_denied' }) },
  'denies for a new reason': { wait: () => gone('request_denied', { reason: 'full_moon' }) },
  'demands a return over loopback': { create: (asked) => changed(asked, { assurance: 'local' }) },
  'loses the first request': {
    create: (asked) => changed(asked, { epoch: '3c0f4a52-5a7e-4f0c-9d0e-0f1de1a3b6a4' }),
    wait: ({ id }) => (id.startsWith('01') ? lost() : {}),
  },
  'loses each request': {
    create: (asked) => changed(asked, { epoch: '3c0f4a52-5a7e-4f0c-9d0e-0f1de1a3b6a4' }),
    wait: () => lost(),
  },
  'has forgotten': { wait: () => gone('not_found') },
  'asks for patience': {
    wait: (_asked, count) => (count === 1 ? tooMany('1') : {}),
  },
  'takes its time': {
    create: (asked) => changed(asked, { interval: 60 }),
    wait: (_asked, count) => (count === 1 ? { body: { status: 'pending' } } : {}),
  },
  'is never approved': {
    create: (asked) => changed(asked, { interval: 60 }),
    wait: () => ({ body: { status: 'pending' } }),
  },
  'lets requests be left': {
    create: (asked) => changed(asked, { interval: 60, may_leave: true }),
    wait: () => ({ body: { status: 'pending' } }),
    withdraw: () => ({ body: { ok: true, left: true } }),
  },
  'does not let go': {
    create: (asked) => changed(asked, { interval: 60 }),
    wait: () => ({ body: { status: 'pending' } }),
    withdraw: () => ({ dripMs: 10_000 }),
  },
  'has nothing to withdraw': {
    create: (asked) => changed(asked, { interval: 60 }),
    wait: () => ({ body: { status: 'pending' } }),
    withdraw: () => gone('not_found'),
  },
  stumbles: {
    wait: (_asked, count) => {
      // The first time on a connection that was kept, which is tried again without a word.
      if (count <= 2) return 'hang up'
      return count === 3
        ? { status: 503, body: { error: 'unavailable' }, headers: { 'retry-after': '0' } }
        : {}
    },
  },
  'knows no check code': { create: (asked) => changed(asked, { user_code: undefined }) },
  'refuses with escapes': { create: () => ({ status: 400, body: { error: HOSTILE_TEXT, code: 'invalid' } }) },
  'limits the rate': { create: ({ id }) => (id.startsWith('01') ? tooMany('1') : {}) },
  'limits the rate for long': { create: () => tooMany('301') },
  'sends elsewhere': {
    create: () => ({ status: 307, headers: { location: 'https://evil.example/\u0085\u009b31m' }, body: {} }),
  },
  'sends the wait elsewhere': {
    wait: () => ({ status: 302, headers: { location: 'https://evil.example/' }, body: {} }),
  },
  'never ends': { create: () => ({ isEndless: true }) },
  'never ends the wait': { wait: () => ({ isEndless: true }) },
  'speaks no JSON': { create: () => ({ status: 201, body: '<html>\u001b[31m' }) },
  'shows a page': {
    create: () => ({ status: 200, body: '<!doctype html><title>Sign in to the network</title>' }),
  },
  'answers a list': { create: () => ({ status: 201, body: [] }) },
  'shows a foreign page': {
    create: (asked) => changed(asked, { verification_uri_complete: '//evil.example/approve/x' }),
  },
  'has an id with escapes': { create: (asked) => changed(asked, { id: `${HOSTILE_TEXT}aaaaaaaaaaaaaaaa` }) },
  'has another check code': { create: (asked) => changed(asked, { user_code: 'BCDF-GHJK' }) },
  'has no lifetime': { create: (asked) => changed(asked, { expires_in: 'soon' }) },
  'is neither pending nor ready': { wait: () => ({ body: { status: HOSTILE_TEXT } }) },
  'delivers no base64': { wait: () => ready('not base64!') },
  'delivers a broken box': { wait: () => ready(Buffer.alloc(100, 7).toString('base64')) },
  'delivers to another key': {
    wait: () =>
      delivery({ id: '', body: {}, publicKey: Buffer.from(ANOTHER_KEY, 'base64') }, '{"GREETING":"x"}'),
  },
  'delivers no map': delivers('["GREETING"]'),
  'delivers a number': delivers('{"GREETING":1}'),
  'delivers a name with escapes': delivers(JSON.stringify({ [HOSTILE_TEXT]: 'x' })),
  'delivers a name with =': delivers('{"A=B":"x"}'),
  'delivers NUL': delivers('{"GREETING":"a\\u0000b"}'),
  'delivers half a character': delivers('{"GREETING":"\\ud83d"}'),
  'delivers an extra key': delivers('{"GREETING":"hi","EXTRA":"x"}'),
  'delivers dangerous names': delivers(
    '{"GREETING":"hi","LD_PRELOAD":"/tmp/x.so","node_options":"--require x"}',
  ),
  'delivers __proto__': delivers('{"__proto__":"polluted","GREETING":"hi"}'),
  'delivers awkward values': delivers(
    JSON.stringify({
      QUOTE: `it's "x"`,
      TWO_LINES: 'a\nb\n',
      '1ST': 'digit',
      BACKSLASH: '\\',
      UNICODE: 'grüße 🚢',
    }),
  ),
  'delivers a large value': delivers(JSON.stringify({ GREETING: 'hi', LARGE: 'x'.repeat(140_000) })),
  // The sum is in the middle of a KiB, because the folders in the environment have names of any length.
  'delivers too much': delivers(
    JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`V${i}`, 'x'.repeat(99_983)]))),
  ),
  'delivers all quotes': delivers(JSON.stringify({ ALL: '\'"`', CR: 'a\rb', GREETING: 'hi' })),
  'delivers mixed quotes': delivers(JSON.stringify({ JSON: '{"a":"it\'s"}', LINES_: 'a\nb' })),
} as const satisfies Record<string, Behaviour>

const REMEMBERED = {
  grant_id: '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
  expires_at: '2030-01-31T18:30:00Z',
  uses_left: 47,
}
const VALUES = '{"GREETING":"hi"}'
const LONG_VALUES = JSON.stringify({
  DATABASE_URL: 'postgres://app:s3cret@db/app',
  PEM: 'first line\nsecond line',
  PORT: '8080',
})
const ANOTHER_KEY = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo='

function tooMany(retryAfter: string) {
  return { status: 429, headers: { 'retry-after': retryAfter }, body: { error: 'Too many requests' } }
}

function changed(asked: Asked, fields: Record<string, unknown>) {
  return { body: { ...createdAnswer(asked).body, ...fields } }
}

function delivers(plaintext: string) {
  return { wait: (asked: Asked) => delivery(asked, plaintext) }
}

function ready(ciphertext: string) {
  return { status: 200, body: { status: 'ready', ciphertext_base64: ciphertext } }
}

function refusedMachine(status: number, code: string, error: string): Partial<Answer> {
  return { status, body: { error, code } }
}

function lost(): Partial<Answer> {
  const body = { error: 'request not found or expired', code: 'not_found', details: { lost: true } }
  return { status: 404, body }
}
