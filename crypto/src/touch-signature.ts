import { hash } from 'node:crypto'
import { readClientData } from './client-data.ts'
import { coseSignatureFits, readCoseKey } from './cose-key.ts'
import { CryptoError } from './crypto-error.ts'
import { frame } from './frame.ts'
import { lettersOf } from './user-code.ts'

/*
 * The library for passkeys accepts a frame of another site if the browser names no top origin, and a key that turns
 * from bound to its device into synced. An approval needs both checks. The client checks receipts offline with this
 * file, so it uses Node.js only.
 */

/** What an authenticator signed. */
export type TouchProof = {
  readonly clientData: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly signature: Uint8Array
}

/** What a touch must match. `counter`: of the last use; null: not known. */
export type ExpectedTouch = {
  readonly challenge: Uint8Array
  readonly origin: string
  readonly rpId: string
  readonly publicKey: Uint8Array
  readonly isSynced: boolean
  readonly counter: number | null
}

const HASH_BYTES = 32
const HEAD_BYTES = 37
const FLAG = { present: 0x01, verified: 0x04, maySync: 0x08, isSynced: 0x10, hasKey: 0x40, extended: 0x80 }

/** Check that this signing key signed this challenge on our own page, after its person was verified.
 * @returns the counter after this use
 * @throws CryptoError bad_passkey: anything else */
export function verifyTouch(proof: TouchProof, expected: ExpectedTouch): number {
  const { clientData, authenticatorData, signature } = proof
  requireOwnPage(clientData, expected)
  const counter = requireVerified(authenticatorData, expected)
  const signed = Buffer.concat([authenticatorData, sha256(clientData)])
  if (!coseSignatureFits(signed, readCoseKey(expected.publicKey), signature))
    throw refused('a wrong signature')
  return counter
}

/** How people name a signing key to one another: 20 letters in groups of four. */
export function approvalKeyFingerprint(publicKey: Uint8Array): string {
  return lettersOf(frame('keyferry approval key v1', publicKey), 20)
}

function requireOwnPage(bytes: Uint8Array, { challenge, origin }: ExpectedTouch): void {
  const data = readClientData(bytes)
  if (data['type'] !== 'webauthn.get') throw refused('another ceremony')
  if (data['challenge'] !== Buffer.from(challenge).toString('base64url')) throw refused('another challenge')
  if (data['origin'] !== origin) throw refused('another origin')
}

function requireVerified(bytes: Uint8Array, { rpId, isSynced, counter }: ExpectedTouch): number {
  const data = Buffer.from(bytes)
  const flags = data[HASH_BYTES] ?? 0
  const has = (flag: number) => (flags & flag) !== 0
  if (data.length < HEAD_BYTES || has(FLAG.hasKey)) throw refused('malformed data of the authenticator')
  if (has(FLAG.extended) !== data.length > HEAD_BYTES) throw refused('malformed extensions')
  if (!data.subarray(0, HASH_BYTES).equals(sha256(Buffer.from(rpId)))) throw refused('another host name')
  if (!has(FLAG.present) || !has(FLAG.verified)) throw refused('no verified person')
  if (has(FLAG.maySync) !== isSynced) throw refused('a key of another kind')
  if (has(FLAG.isSynced) && !isSynced) throw refused('a synced key that cannot be synced')
  const used = data.readUInt32BE(HASH_BYTES + 1)
  if (counter !== null && used <= counter && (used !== 0 || counter !== 0))
    throw refused('a counter that did not grow')
  return used
}

function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer')
}

function refused(why: string): CryptoError {
  return new CryptoError('bad_passkey', `touch is refused: ${why}`)
}
