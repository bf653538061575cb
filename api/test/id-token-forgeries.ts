import { constants, createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import { encoded, type ForeignIssuer } from './foreign-issuer.ts'

/** What a thief, a forger or a careless issuer could make of an honest ID token. */

export const AUDIENCE = 'https://keyferry.example.com'

export type Claims = Record<string, unknown>
type Forging = { issuer: ForeignIssuer; claims: Claims; bound: string }
export type Case = readonly [name: string, forge: (forging: Forging) => string | Promise<string>]

const header = ({ issuer }: Forging, changes: object = {}) => ({
  alg: 'RS256',
  typ: 'JWT',
  kid: issuer.kid,
  ...changes,
})

const withHeader = (changes: object) => (forging: Forging) =>
  forging.issuer.signRaw(header(forging, changes), forging.claims)

/** Claims in a text of JSON, which can contain what an object cannot. */
const withText = (change: (json: string) => string | Buffer) => (forging: Forging) =>
  forging.issuer.signRaw(header(forging), change(JSON.stringify(forging.claims)))

const withClaims = (changes: Claims) => (forging: Forging) =>
  forging.issuer.signRaw(header(forging), { ...forging.claims, ...changes })

export const withBound = (audience: (bound: string) => unknown) => (forging: Forging) =>
  forging.issuer.signRaw(header(forging), { ...forging.claims, aud: audience(forging.bound) })

/** Signed with a public text as the secret. */
const withSecret =
  (alg: string, secretOf: (issuer: ForeignIssuer) => string | Buffer) => (forging: Forging) => {
    const text = `${encoded(header(forging, { alg }))}.${encoded(forging.claims)}`
    const hmac = createHmac(alg.replace('HS', 'sha'), secretOf(forging.issuer)).update(text)
    return `${text}.${hmac.digest('base64url')}`
  }

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const strangerJwk = stranger.publicKey.export({ format: 'jwk' })

/** Signed by a stranger's key, with a header that leads to it. */
const byStranger = (changes: object) => (forging: Forging) => {
  const text = `${encoded(header(forging, changes))}.${encoded(forging.claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), stranger.privateKey).toString('base64url')}`
}

/** Refused without a word about why. */
export const FORGED: readonly Case[] = [
  ['with the algorithm None', withHeader({ alg: 'None' })],
  ['with the algorithm in small letters', withHeader({ alg: 'rs256' })],
  ['with a list of algorithms', withHeader({ alg: ['RS256'] })],
  ['without an algorithm', withHeader({ alg: undefined })],
  ['with two algorithms', ({ issuer, claims }) => issuer.signRaw('{"alg":"RS256","alg":"none"}', claims)],
  ['with the public key as PEM for a secret', withSecret('HS256', pemOf)],
  ['with the public key as DER for a secret', withSecret('HS384', derOf)],
  ['with the modulus for a secret', withSecret('HS512', modulusOf)],
  ['with an empty secret', withSecret('HS256', () => '')],
  ['with another algorithm of the same key', (forging) => signedAs('PS256', forging)],
  ['with a longer hash of the same key', (forging) => signedAs('RS512', forging)],
  ['of a stranger, with the key in the header', byStranger({ jwk: strangerJwk, kid: undefined })],
  ['of a stranger, with a certificate', byStranger({ x5c: [derOfStranger()] })],
  ['of a stranger, with the address of keys', byStranger({ jku: 'http://127.0.0.1:1/keys' })],
  ['of a stranger, with the address of a certificate', byStranger({ x5u: 'http://127.0.0.1:1/x' })],
  ['of a stranger, without a key id', byStranger({ kid: undefined })],
  ['of a stranger, with a path as the key id', byStranger({ kid: '../../../../dev/null' })],
  ['of a stranger, with SQL as the key id', byStranger({ kid: "x' union select '" })],
  ['of a stranger, with __proto__ as the key id', byStranger({ kid: '__proto__' })],
  ['with a critical extension', withHeader({ crit: ['exp'], exp: 1 })],
  ['with an unencoded payload', withHeader({ crit: ['b64'], b64: false })],
  ['that is an access token of the issuer', async ({ issuer }) => await issuer.accessToken()],
  ['that is a logout token', withHeader({ typ: 'logout+jwt' })],
  ['with a list as the type', withHeader({ typ: ['JWT'] })],
  ['that is encrypted', async ({ issuer, claims }) => await encrypted(issuer, claims)],
  ['with the issuer twice', withText((json) => json.replace(/}$/, ',"iss":"https://evil.example.com"}'))],
  ['after a byte order mark', withText((json) => `\ufeff${json}`)],
  ['in UTF-16', withText((json) => Buffer.from(json, 'utf16le'))],
  ['with a text that is not UTF-8', withText((json) => notUtf8(json))],
  ['with a payload of null', withText(() => 'null')],
  ['with a text as the expiry', withClaims({ exp: '9999999999' })],
  ['with null as the expiry', withClaims({ exp: null })],
  ['with a list as the expiry', withClaims({ exp: [9_999_999_999] })],
  ['with a text as the time of making', withClaims({ iat: 'now' })],
  ['with a text as the first time', withClaims({ nbf: '0' })],
  ['with an object as the issuer', withClaims({ iss: { url: 'x' } })],
  ['with a slash after the issuer', (forging) => withClaims({ iss: `${forging.issuer.url}/` })(forging)],
]

/** Verified and refused: what differs, and the token. */
export const CARELESS: readonly (readonly [name: string, differs: string, forge: Case[1]])[] = [
  ['that never expires', 'exp', withClaims({ exp: 1e15 })],
  ['of 1970', 'exp', withClaims({ iat: 0 })],
  ['for the audience in capitals', 'aud', withClaims({ aud: AUDIENCE.toUpperCase() })],
  ['for the audience with a port', 'aud', withClaims({ aud: `${AUDIENCE}:443` })],
  ['for the audience with an escape', 'aud', withClaims({ aud: AUDIENCE.replace('k', '%6b') })],
  ['for a look-alike audience', 'aud', withClaims({ aud: AUDIENCE.replace('e', '\u0435') })],
  ['for an audience with NUL', 'aud', withClaims({ aud: `${AUDIENCE}\u0000` })],
  ['for the audience without encryption', 'aud', withClaims({ aud: AUDIENCE.replace('https', 'http') })],
  ['for no audience', 'aud', withClaims({ aud: [] })],
  ['for a list in a list', 'aud', withClaims({ aud: [[AUDIENCE]] })],
  ['for the audience twice', 'aud', withClaims({ aud: [AUDIENCE, AUDIENCE] })],
  ['for an object', 'aud', withClaims({ aud: { 0: AUDIENCE } })],
  ['bound to the key in hex', 'aud', withBound((bound) => hexOf(bound))],
  ['bound to the key with padding', 'aud', withBound((bound) => `${bound}=`)],
  ['bound to the key and to another', 'aud', withBound((bound) => `${bound}/key/${'A'.repeat(43)}`)],
  ['bound to the key and for the server', 'aud', withBound((bound) => [bound, AUDIENCE])],
  ['bound to the key of a thief', 'aud', withBound(() => `${AUDIENCE}/key/${keyOf(randomBytes(32))}`)],
  ['of a list of subjects', 'sub', withClaims({ sub: ['job'] })],
  ['of a subject in capitals', 'sub', withClaims({ sub: 'JOB' })],
  ['of a subject with a line end', 'sub', withClaims({ sub: 'job\n' })],
  ['of a subject in wide letters', 'sub', withClaims({ sub: '\uff4aob' })],
  ['of a subject with an invisible letter', 'sub', withClaims({ sub: 'jo\u200bb' })],
  ['of a repository in other digits', 'repository_id', withClaims({ repository_id: '\uff17\uff14' })],
  ['of another repository', 'repository_id', withClaims({ repository_id: '75' })],
  [
    'of two environments, the last wrong',
    'environment',
    withText((json) => json.replace(/}$/, ',"environment":"staging"}')),
  ],
  ['with the environment in its prototype', 'environment', withText((json) => inPrototype(json))],
  ['with 300 other claims', 'environment', withClaims({ ...many(300), environment: 'staging' })],
  ['with a deep claim', 'environment', withText((json) => deep(json))],
]

/** What the audience of a token names to be bound to a key. */
export function keyOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('base64url')
}

function hexOf(bound: string): string {
  const [, hash = ''] = bound.split('/key/')
  return `${AUDIENCE}/key/${Buffer.from(hash, 'base64url').toString('hex')}`
}

function pemOf({ publicKey }: ForeignIssuer): string {
  return publicKey.export({ format: 'pem', type: 'spki' }).toString()
}

function derOf({ publicKey }: ForeignIssuer): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' })
}

function modulusOf({ publicKey }: ForeignIssuer): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).n ?? '', 'base64url')
}

function derOfStranger(): string {
  return stranger.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

function signedAs(alg: 'PS256' | 'RS512', forging: Forging): string {
  const text = `${encoded(header(forging, { alg }))}.${encoded(forging.claims)}`
  const key = { key: forging.issuer.privateKey, padding: PADDINGS[alg], saltLength: 32 }
  return `${text}.${sign(`sha${alg.slice(2)}`, Buffer.from(text), key).toString('base64url')}`
}

const PADDINGS = { PS256: constants.RSA_PKCS1_PSS_PADDING, RS512: constants.RSA_PKCS1_PADDING }

async function encrypted(to: ForeignIssuer, claims: Claims): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(claims))
  const protectedHeader = { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT' } as const
  return await new CompactEncrypt(text).setProtectedHeader(protectedHeader).encrypt(to.publicKey)
}

function inPrototype(json: string): string {
  return json.replace('"environment":"prod"', '"__proto__":{"environment":"prod"}')
}

function notUtf8(json: string): Buffer {
  const [before = '', after = ''] = json.split('"prod"')
  return Buffer.concat([Buffer.from(`${before}"pr`), Buffer.from([0xff]), Buffer.from(`d"${after}`)])
}

function deep(json: string): string {
  const nested = `${'['.repeat(2_000)}${']'.repeat(2_000)}`
  return json.replace('"environment":"prod"', `"environment":"staging","x":${nested}`)
}

function many(count: number): Claims {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, at]))
}
