import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { decodeBase64, unpaddedBase64 } from './base64.ts'
import { CryptoError } from './crypto-error.ts'

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }
type StoredHash = { readonly cost: Cost; readonly salt: Uint8Array; readonly tag: Uint8Array }

const runArgon2 = promisify(argon2)

// OWASP's first choice for Argon2id: 19 MiB (in KiB here), two passes, one lane.
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const MOST: Cost = { memory: 1_048_576, passes: 16, parallelism: 16 }
const SALT_BYTES = 16
const TAG_BYTES = 32
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{21}[AQgw])\$([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048])$/

/** Hash a password for keeping. Takes tens of milliseconds on a thread of the pool.
 * @returns a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<tag>` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return formatHash({ cost: COST, salt, tag: await tagOf(password, salt, COST) })
}

/** Whether `password` is the one behind `hash`. Hashes of other costs verify too, so that the cost can be raised.
 * @throws CryptoError bad_password_hash: not a PHC string of Argon2id, or of a cost beyond reason */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const { cost, salt, tag } = parseHash(hash)
  return timingSafeEqual(await tagOf(password, salt, cost), tag)
}

/** A hash that no password has. Verified in place of an unknown user's, so that the answer takes as long. */
export const decoyHash: string = formatHash({
  cost: COST,
  salt: randomBytes(SALT_BYTES),
  tag: randomBytes(TAG_BYTES),
})

// One password can be typed as different code points on different systems; NFKC makes them one (NIST SP 800-63B).
function tagOf(password: string, salt: Uint8Array, cost: Cost): Promise<Buffer> {
  return runArgon2('argon2id', {
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength: TAG_BYTES,
    ...cost,
  })
}

function formatHash({ cost, salt, tag }: StoredHash): string {
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpaddedBase64(salt)}$${unpaddedBase64(tag)}`
}

function parseHash(hash: string): StoredHash {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? []
  if (salt === undefined || tag === undefined)
    throw new CryptoError('bad_password_hash', 'not an Argon2id PHC string')
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (!isWithin(cost)) throw new CryptoError('bad_password_hash', 'Argon2id cost is out of bounds')
  return { cost, salt: decodeBase64(salt), tag: decodeBase64(tag) }
}

function isWithin({ memory, passes, parallelism }: Cost): boolean {
  const least = passes >= 1 && parallelism >= 1 && memory >= 8 * parallelism
  return least && memory <= MOST.memory && passes <= MOST.passes && parallelism <= MOST.parallelism
}
