import { isIP } from 'node:net'
import { parseRootKey } from '@keyferry/crypto/root-key'
import { isRsaPublicKey } from '@keyferry/crypto/rsa-public-key'
import { isLoopback } from '@keyferry/plumbing/loopback'
import { addressesOf } from '@keyferry/plumbing/several-hosts'
import { z } from 'zod'

const SECRET_BYTES = 32
const PLACEHOLDER = /change.?me|replace.?me|your.?secret|placeholder|default|password|^(.)\1*$/i

/** A whole number within bounds, or `otherwise`. */
export function wholeNumber(least: number, most: number | null, otherwise: number, of?: 'seconds') {
  return {
    mustBe: `a whole number${of === undefined ? '' : ` of ${of}`} from ${least}${most === null ? '' : ` to ${most}`}`,
    schema: z.coerce
      .number()
      .int()
      .min(least)
      .max(most ?? Number.MAX_SAFE_INTEGER)
      .default(otherwise),
  }
}

export const TEXT = { mustBe: 'a text', schema: z.string().optional() }
export const PATH = { mustBe: 'a path', schema: z.string().optional() }

/** Where to listen. */
export const HOST = {
  mustBe: 'an IP address or a host name',
  schema: z
    .string()
    .refine((host) => isIP(host) > 0 || isHostName(host))
    .default('127.0.0.1'),
}

function isHostName(text: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
}

/** A URL with one of these protocols, which may name several hosts. */
function url(...protocols: readonly string[]) {
  const isOne = (text: string) => {
    const address = URL.parse(text)
    if (address === null || !protocols.includes(address.protocol)) return false
    return address.hash === '' && isDecodable(address.username + address.password)
  }
  return z.string().refine((text) => addressesOf(text).every(isOne))
}

/** What a password in an address needs; completes "must be …". */
export const ESCAPED = 'in a password, write % as %25, # as %23, / as %2F and @ as %40'

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).isWellFormed()
  } catch {
    return false
  }
}

/** `require` and `verify-ca` are read as the driver reads them, without its warning. The driver never falls back to a
 * connection without TLS, so `prefer` and `allow` would not be what they say. */
export const databaseUrl = z
  .string()
  // A socket (`?host=/run/postgresql`) needs no host, but the form of a URL does.
  .transform((text) => text.replace(/^(postgres(?:ql)?:\/\/[^/?#@]+@)(?=\/[^@]*$)/i, '$1localhost'))
  .pipe(url('postgres:', 'postgresql:'))
  .refine((text) => {
    const mode = URL.parse(addressesOf(text)[0] ?? '')?.searchParams.get('sslmode') ?? 'disable'
    return ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'].includes(mode)
  })
  .transform((text) =>
    text.includes('uselibpqcompat=true')
      ? text
      : text.replace(/([?&]sslmode=)(?:require|verify-ca)(?=&|$)/, '$1verify-full'),
  )

/** Options of a mail library would have no effect, and without a host it would call this machine. */
export const smtpUrl = url('smtp:', 'smtps:').refine((text) => {
  const { hostname = '', pathname = '', search = '' } = URL.parse(text) ?? {}
  return hostname !== '' && pathname.length < 2 && search === ''
})

export const redisUrl = url('redis:', 'rediss:', 'redis+sentinel:', 'rediss+sentinel:').refine((text) =>
  /^rediss?(:|\+sentinel:\/\/[^/?#]+\/[^/?#])/i.test(text),
)

/** An http or https origin; a trailing slash is allowed. */
export const origin = z
  .string()
  .refine(isOrigin)
  .transform((text) => new URL(text).origin)

export const origins = z
  .string()
  .default('')
  .transform(listOf)
  .refine((list) => list.every(isOrigin))
  .transform((list) => list.map((text) => new URL(text).origin))

/** As an origin; it may contain a user and a password. */
export const proxy = z.string().refine((text) => {
  const address = URL.parse(text)
  return address !== null && isOrigin(address.origin) && address.pathname === '/' && address.search === ''
})

/** An issuer, exactly as it is written in tokens. The address of its discovery document would name other people. */
export const issuer = z.string().refine((text) => {
  const address = URL.parse(text)
  if (address?.search !== '' || address.hash !== '' || text.includes('/.well-known/')) return false
  return address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))
})

export const ISSUER = {
  mustBe: 'an https address (http on loopback only), without /.well-known/…',
  schema: issuer.optional(),
}

/** Whether two settings name the same issuer. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

export const issuers = z
  .string()
  .default('')
  .transform(listOf)
  .refine((list) => list.every((text) => issuer.safeParse(text).success))

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/

/** Who may sign up: everyone, or the domains of addresses. */
export const signUp = z
  .string()
  .transform((text) => (text === 'everyone' ? text : listOf(text === 'invited' ? '' : text.toLowerCase())))
  .refine((value) => value === 'everyone' || value.every((domain) => DOMAIN.test(domain)))

/** Ids of groups, by the values of a claim. */
export const groups = z
  .string()
  .default('')
  .refine((text) => Groups.safeParse(jsonIn(text)).success)
  .transform((text) => Groups.parse(jsonIn(text)))

const Groups = z.record(z.string().min(1), z.uuid())

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return null
  }
}

function onOrOff(otherwise: '0' | '1') {
  const schema = z.enum(['0', '1']).default(otherwise)
  return { mustBe: '0 or 1', schema: schema.transform((text) => text === '1') }
}

/** A switch that is off by default, and one that is on. */
export const OFF = onOrOff('0')
export const ON = onOrOff('1')

export const networks = z
  .string()
  .default('')
  .transform(listOf)
  .refine((list) => list.every(isNetwork))

export const rootKeys = z.string().transform(listOf).refine(isNotEmpty).refine(areRootKeys)

export const sharedSecrets = z
  .string()
  .transform(listOf)
  .refine(isNotEmpty)
  .refine((list) => list.every((text) => Buffer.byteLength(text) >= SECRET_BYTES && !PLACEHOLDER.test(text)))

export const publicKeyPem = z
  .string()
  .transform((text) => text.replaceAll('\\n', '\n'))
  .refine(isRsaPublicKey)

export const webhookSecret = z.string().regex(/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/)

/** Split a list at commas and line ends. */
export function listOf(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

export function isNotEmpty(list: readonly string[]): list is readonly [string, ...string[]] {
  return list.length > 0
}

export function areRootKeys(list: readonly string[]): boolean {
  try {
    return list.map(parseRootKey).length > 0
  } catch {
    return false
  }
}

function isOrigin(text: string): boolean {
  const address = URL.parse(text)
  if (!address || !['http:', 'https:'].includes(address.protocol)) return false
  return address.href === `${address.origin}/`
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Whether a text is the id of a program that keeps root keys, such as `command:/usr/lib/keyferry/keeper-tpm`. */
export function isKeeperId(text: string): boolean {
  return /^command:\/[^\s,]+$/.test(text)
}
