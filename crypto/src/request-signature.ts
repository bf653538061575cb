import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { CryptoError } from './crypto-error.ts'
import { frame } from './frame.ts'

/** What a request signature covers. */
export type RequestFacts = {
  /** As it is sent: `GET`, `POST` … */
  readonly method: string
  /** Path with query, as it is sent: `/api/v1/keys?query=a`. */
  readonly path: string
  /** The body's bytes as they are sent; empty where there is none. */
  readonly body: Uint8Array
  /** The client's address as the signer sees it; empty for a call that the signer makes itself. */
  readonly clientAddress: string
  /** Empty for a call without a signed-in user. */
  readonly userId: string
  readonly tenantId: string
  /** When the user last signed in, as it is sent; absent where the signer does not say. */
  readonly signedInAt?: string
  /** The epoch that the user's session began in, as it is sent; absent where the signer does not say. */
  readonly epoch?: string
}

export type SigningTerms = { readonly secret: string; readonly nowSeconds: number; readonly nonce: string }

/** `windowSeconds`: how far the signer's clock may be off, either way. */
export type VerifyingTerms = {
  readonly secrets: readonly string[]
  readonly nowSeconds: number
  readonly windowSeconds: number
}

type SignatureStamp = { readonly time: string; readonly nonce: string }

const TIME = '0|[1-9][0-9]{0,14}'
const NONCE = '[A-Za-z0-9_-]{16,64}'
const HEADER = new RegExp(`^t=(${TIME});n=(${NONCE});s=([0-9a-f]{64})$`)

/** Sign one request, once.
 * @returns the header's value, `t=<epoch seconds>;n=<nonce>;s=<64 hex digits>`
 * @throws CryptoError bad_request_facts: a time that is not whole epoch seconds, a nonce that is not 16 to 64
 *   url-safe characters, or text with lone surrogates */
export function signRequest(facts: RequestFacts, { secret, nowSeconds, nonce }: SigningTerms): string {
  const stamp = { time: String(nowSeconds), nonce }
  const header = `t=${stamp.time};n=${nonce};s=${digestOf(facts, stamp, secret).toString('hex')}`
  if (!HEADER.test(header)) throw new CryptoError('bad_request_facts', 'time or nonce is malformed')
  return header
}

/** Whether `header` signs exactly these facts, about now, under one of the secrets. That the nonce has not been
 * used before is the caller's to check.
 * @returns the nonce, or null if anything is wrong */
export function verifyRequest(
  header: string,
  facts: RequestFacts,
  { secrets, nowSeconds, windowSeconds }: VerifyingTerms,
): { nonce: string } | null {
  const [, time, nonce, signature] = HEADER.exec(header) ?? []
  if (time === undefined || nonce === undefined || signature === undefined) return null
  if (!(Math.abs(nowSeconds - Number(time)) <= windowSeconds) || !isWellFormed(facts)) return null
  const given = Buffer.from(signature, 'hex')
  const matches = secrets.map((secret) => timingSafeEqual(digestOf(facts, { time, nonce }, secret), given))
  return matches.includes(true) ? { nonce } : null
}

function isWellFormed({ method, path, ...facts }: RequestFacts): boolean {
  return [method, path, ...whoOf(facts)].every((text) => text.isWellFormed())
}

function digestOf(facts: RequestFacts, { time, nonce }: SignatureStamp, secret: string): Buffer {
  if (!isWellFormed(facts)) throw new CryptoError('bad_request_facts', 'text holds a lone surrogate')
  const { method, path, body } = facts
  const bodyHash = hash('sha256', body, 'buffer')
  const signed = frame('keyferry request v2', time, nonce, method, path, bodyHash, ...whoOf(facts))
  return createHmac('sha256', secret).update(signed).digest()
}

type Who = Pick<RequestFacts, 'clientAddress' | 'userId' | 'tenantId' | 'signedInAt' | 'epoch'>

// A signer that does not say the epoch, or when the user signed in, signs as before.
function whoOf({ clientAddress, userId, tenantId, signedInAt = '', epoch = '' }: Who): string[] {
  const session = epoch === '' ? [signedInAt].filter((text) => text !== '') : [signedInAt, epoch]
  return [clientAddress, userId, tenantId, ...session]
}
