import { type KeyObject, sign } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { decodeBase64Of } from './base64.ts'
import { CryptoError } from './crypto-error.ts'
import { ED25519_BYTES, publicBytesOf, signatureFits, signingKeyOf } from './ed25519.ts'

/*
 * The format of minisign (https://jedisct1.github.io/minisign/): Ed25519 over the BLAKE2b-512 of a file, and a second
 * signature over the first and a comment, which is trusted therefore.
 */

const PUBLIC_KEY = Buffer.from('Ed')
const PREHASHED = 'ED'
const ID_BYTES = 8
const SIGNATURE_BYTES = 64
const KEY_BYTES = PUBLIC_KEY.length + ID_BYTES + ED25519_BYTES
const SEED_AT = 62
const SECRET_KEY_BYTES = 158
// "Ed", no key derivation, and the checksum BLAKE2.
const WITHOUT_PASSWORD = Buffer.from('Ed\0\0B2')
const SIGNED = /^untrusted comment: .*\n(\S+)\ntrusted comment: (.*)\n(\S+)\n?$/

export type MinisignKey = { readonly id: Uint8Array; readonly signer: KeyObject }

/** Read a secret key that `minisign -G -W` wrote, which has no password.
 * @throws CryptoError bad_note: something else, or a key with a password */
export function parseMinisignKey(text: string): MinisignKey {
  const bytes = decoded(text.trim().split('\n').at(-1) ?? '')
  if (bytes.length !== SECRET_KEY_BYTES || !WITHOUT_PASSWORD.equals(bytes.subarray(0, 6)))
    throw new CryptoError('bad_note', 'not a secret key of minisign without a password (minisign -G -W)')
  const id = bytes.subarray(SEED_AT - ID_BYTES, SEED_AT)
  return { id, signer: signingKeyOf(bytes.subarray(SEED_AT, SEED_AT + ED25519_BYTES)) }
}

/** The public key, as `minisign -P` takes it. */
export function minisignPublicKey({ id, signer }: MinisignKey): string {
  return Buffer.concat([PUBLIC_KEY, id, publicBytesOf(signer)]).toString('base64')
}

/** Sign a file: the text of its `.minisig`.
 * @param comment one line, which is signed too */
export function signMinisign(message: Uint8Array, key: MinisignKey, comment: string): string {
  const signature = sign(null, digest(message), key.signer)
  const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key.signer)
  const line = Buffer.concat([Buffer.from(PREHASHED), key.id, signature]).toString('base64')
  return `untrusted comment: signature of Keyferry\n${line}\ntrusted comment: ${comment}\n${whole.toString('base64')}\n`
}

/** Check the signature of a file.
 * @param publicKey as `minisign -P` takes it
 * @returns the signed comment; null if this key did not sign this file with this comment
 * @throws CryptoError bad_note: the signature or the key is malformed */
export function openMinisign(message: Uint8Array, signed: string, publicKey: string): string | null {
  const [, line = '', comment = '', last = ''] = SIGNED.exec(signed) ?? []
  const [head, whole, key] = [decoded(line), decoded(last), decoded(publicKey)]
  const isWhole = head.length === 2 + ID_BYTES + SIGNATURE_BYTES && whole.length === SIGNATURE_BYTES
  if (!isWhole || head.toString('latin1', 0, 2) !== PREHASHED || key.length !== KEY_BYTES)
    throw new CryptoError('bad_note', 'not a signature of minisign')
  const signature = head.subarray(2 + ID_BYTES)
  const by = key.subarray(PUBLIC_KEY.length + ID_BYTES)
  const isSigned =
    head.subarray(2, 2 + ID_BYTES).equals(key.subarray(2, 2 + ID_BYTES)) &&
    signatureFits(digest(message), { publicKey: by, signature }) &&
    signatureFits(Buffer.concat([signature, Buffer.from(comment)]), { publicKey: by, signature: whole })
  return isSigned ? comment : null
}

function digest(message: Uint8Array): Uint8Array {
  return blake2b(message, { dkLen: 64 })
}

function decoded(text: string): Buffer {
  return Buffer.from(decodeBase64Of('a key or signature of minisign', text, 'bad_note'))
}
