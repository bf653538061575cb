import { createHmac } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import github from './claims/github.json' with { type: 'json' }
import type { Issuer } from './issuer.ts'

export const AUDIENCE = 'https://keyferry.example.com'

type Change = (claims: JWTPayload, bound: string) => JWTPayload

/** Changes of a GitHub token that a server must refuse, each with the code of the refusal. `seconds`: the clock. */
export const wrongClaims = (seconds: () => number): [name: string, change: Change, code: string][] => [
  ['unbound', (c) => ({ ...c, aud: AUDIENCE }), 'token_not_bound'],
  ['for another service', (c) => ({ ...c, aud: 'sts.amazonaws.com' }), 'identity_not_trusted'],
  ['for two services', (c, bound) => ({ ...c, aud: [bound, 'other'] }), 'identity_not_trusted'],
  ['for another service in a list', (c) => ({ ...c, aud: ['other'] }), 'identity_not_trusted'],
  ['for a longer audience', (c, bound) => ({ ...c, aud: `${bound}x` }), 'identity_not_trusted'],
  ['for a shorter audience', (c) => ({ ...c, aud: AUDIENCE.slice(0, -1) }), 'identity_not_trusted'],
  ['for the audience with a slash', (c) => ({ ...c, aud: `${AUDIENCE}/` }), 'identity_not_trusted'],
  [
    'bound to another key',
    (c) => ({ ...c, aud: `${AUDIENCE}/key/${'A'.repeat(43)}` }),
    'identity_not_trusted',
  ],
  ['bound to no key', (c) => ({ ...c, aud: `${AUDIENCE}/key/` }), 'identity_not_trusted'],
  ['without an audience', (c) => without(c, 'aud'), 'identity_not_trusted'],
  ['of another issuer', (c) => ({ ...c, iss: 'https://issuer.example.com' }), 'unauthorized'],
  ['of a longer issuer', (c) => ({ ...c, iss: `${github.issuer}/` }), 'unauthorized'],
  ['of an issuer in capitals', (c) => ({ ...c, iss: github.issuer.toUpperCase() }), 'unauthorized'],
  ['of an issuer with a suffix', (c) => ({ ...c, iss: `${github.issuer}.example.com` }), 'unauthorized'],
  ['without an issuer', (c) => without(c, 'iss'), 'unauthorized'],
  ['expired 90 s ago', (c) => ({ ...c, exp: seconds() - 90 }), 'token_expired'],
  ['without an expiry', (c) => without(c, 'exp'), 'unauthorized'],
  ['valid in 90 s', (c) => ({ ...c, nbf: seconds() + 90 }), 'unauthorized'],
  ['made in 90 s', (c) => ({ ...c, iat: seconds() + 90 }), 'unauthorized'],
  ['without a time of making', (c) => without(c, 'iat'), 'unauthorized'],
  ['that is valid for 25 hours', (c) => ({ ...c, exp: seconds() + 90_000 }), 'identity_not_trusted'],
  ['without a subject', (c) => without(c, 'sub'), 'unauthorized'],
  [
    'with a subject alone',
    ({ iss = '', aud = '', iat = 0, exp = 0, sub = '' }) => ({ iss, aud, iat, exp, sub }),
    'identity_not_trusted',
  ],
  ['of another repository', (c) => ({ ...c, repository_id: '75' }), 'identity_not_trusted'],
  [
    'of a repository whose id has the same beginning',
    (c) => ({ ...c, repository_id: '740' }),
    'identity_not_trusted',
  ],
  ['with a blank in the id', (c) => ({ ...c, repository_id: '74 ' }), 'identity_not_trusted'],
  ['with a zero before the id', (c) => ({ ...c, repository_id: '074' }), 'identity_not_trusted'],
  ['with the id in a list', (c) => ({ ...c, repository_id: ['74'] }), 'identity_not_trusted'],
  ['with the id in an object', (c) => ({ ...c, repository_id: { id: '74' } }), 'identity_not_trusted'],
  ['with a fraction as the id', (c) => ({ ...c, repository_id: 74.5 }), 'identity_not_trusted'],
  ['without a repository id', (c) => without(c, 'repository_id'), 'identity_not_trusted'],
  ['of a repository of the same name', (c) => ({ ...c, repository_id: '99' }), 'identity_not_trusted'],
  ['of another environment', (c) => ({ ...c, environment: 'staging' }), 'identity_not_trusted'],
  ['of an environment in capitals', (c) => ({ ...c, environment: 'PROD' }), 'identity_not_trusted'],
  [
    'of an environment whose name has the same beginning',
    (c) => ({ ...c, environment: 'prod-evil' }),
    'identity_not_trusted',
  ],
  ['with a pattern as the environment', (c) => ({ ...c, environment: '*' }), 'identity_not_trusted'],
  ['with environments in a list', (c) => ({ ...c, environment: ['prod'] }), 'identity_not_trusted'],
  ['with null as the environment', (c) => ({ ...c, environment: null }), 'identity_not_trusted'],
  ['with true as the environment', (c) => ({ ...c, environment: true }), 'identity_not_trusted'],
  ['without an environment', (c) => without(c, 'environment'), 'identity_not_trusted'],
  [
    'of a pull request',
    (c) => ({
      ...without(c, 'environment'),
      sub: 'repo:octo-org/octo-repo:pull_request',
      event_name: 'pull_request',
    }),
    'identity_not_trusted',
  ],
  [
    'of a pull request of a stranger',
    (c) => ({ ...c, event_name: 'pull_request_target' }),
    'identity_not_trusted',
  ],
]

/** Changes of a GitHub token that a server must accept. `seconds`: the clock. */
export const honestClaims = (seconds: () => number): [name: string, change: Change][] => [
  ['whose issuer is 5 s ahead', (c) => ({ ...c, iat: seconds() + 5, nbf: seconds() + 5 })],
  ['that expired 30 s ago', (c) => ({ ...c, exp: seconds() - 30 })],
  ['with its audience as a list of one', (c, bound) => ({ ...c, aud: [bound] })],
  ['with its id as a number', (c) => ({ ...c, repository_id: 74 })],
  [
    'with another form of subject',
    (c) => ({ ...c, sub: 'repository_owner_id:65:repository_id:74:environment:prod' }),
  ],
  ['with unknown claims', (c) => ({ ...c, more: { deep: [1] } })],
]

/** Texts that are no valid token of the issuer, made from an honest one. */
export const forgeries = (
  issuer: Issuer,
): [name: string, forge: (claims: JWTPayload) => Promise<string>][] => [
  ['that is not signed', async (c) => `${part({ alg: 'none', typ: 'JWT' })}.${part(c)}.`],
  [
    'that is not signed, with a third part',
    async (c) => `${part({ alg: 'none', typ: 'JWT' })}.${part(c)}.AA`,
  ],
  ['signed with the public key as a secret', (c) => withHmac(issuer, c, JSON.stringify(issuer.jwks.keys[0]))],
  ['signed with the modulus as a secret', (c) => withHmac(issuer, c, String(issuer.jwks.keys[0]?.['n']))],
  ['signed by another key of the same id', (c) => withOwnKey(issuer, c, { alg: 'RS256' })],
  ['signed by another algorithm', (c) => withOwnKey(issuer, c, { alg: 'ES256' })],
  ['that brings its key', async (c) => withOwnKey(issuer, c, { alg: 'RS256', jwk: await someJwk() })],
  ['that names where its key is', (c) => withOwnKey(issuer, c, { alg: 'RS256', jku: `${issuer.url}/keys` })],
  ['of an unknown key id', (c) => issuer.sign(c, { kid: 'unknown' })],
  ['of another type', (c) => issuer.sign(c, { typ: 'at+jwt' })],
  ['with a changed payload', async (c) => changed(await issuer.sign(c), { ...c, environment: 'prod', x: 1 })],
  ['with a cut signature', async (c) => (await issuer.sign(c)).slice(0, -8)],
  ['without a signature', async (c) => (await issuer.sign(c)).replace(/[^.]+$/, '')],
  ['with a fourth part', async (c) => `${await issuer.sign(c)}.AA`],
  ['with padding', async (c) => `${await issuer.sign(c)}=`],
  ['that is too long', (c) => issuer.sign({ ...c, filler: 'x'.repeat(9_000) })],
  ['whose payload is a list', async (c) => changed(await issuer.sign(c), [])],
  ['whose payload is no JSON', async (c) => (await issuer.sign(c)).replace(/\.[^.]+\./, '.e30x.')],
]

async function withHmac(issuer: Issuer, claims: JWTPayload, secret: string): Promise<string> {
  const text = `${part({ alg: 'HS256', typ: 'JWT', kid: String(issuer.jwks.keys[0]?.['kid']) })}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

async function withOwnKey(
  issuer: Issuer,
  claims: JWTPayload,
  { alg, ...header }: { alg: string; jwk?: JWK; jku?: string },
): Promise<string> {
  const { privateKey } = await generateKeyPair(alg)
  const kid = String(issuer.jwks.keys[0]?.['kid'])
  return new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid, ...header }).sign(privateKey)
}

function without(claims: JWTPayload, name: string): JWTPayload {
  return Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name))
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function changed(token: string, payload: unknown): string {
  const [header, , signature] = token.split('.')
  return `${header}.${part(payload)}.${signature}`
}

async function someJwk() {
  return exportJWK((await generateKeyPair('RS256', { extractable: true })).publicKey)
}
