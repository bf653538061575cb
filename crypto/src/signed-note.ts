import { hash, type KeyObject, sign, verify } from 'node:crypto'
import { decodeBase64 } from './base64.ts'
import { CryptoError } from './crypto-error.ts'
import { ED25519_BYTES, verifyingKeyOf } from './ed25519.ts'

/*
 * The signed note of C2SP (https://c2sp.org/signed-note): a text that ends in a line feed, an empty line, and a
 * signature line. A verifier key is `<name>+<key id>+<base64 of 1 ‖ public key>`; 1 means Ed25519.
 */

const ED25519 = Uint8Array.of(1)
const KEY_ID_BYTES = 4
const SIGNATURE_LINE = /^— (\S+) (\S+)$/

export type NoteSigner = { readonly name: string; readonly signer: KeyObject; readonly publicKey: Uint8Array }

/** Sign a text that ends in a line feed.
 * @throws CryptoError bad_note: the text does not end in a line feed, or the name contains a blank or a plus */
export function signNote(text: string, { name, signer, publicKey }: NoteSigner): string {
  requireName(name)
  if (!text.endsWith('\n')) throw new CryptoError('bad_note', 'a note must end in a line feed')
  const signature = sign(null, Buffer.from(text), signer)
  const signed = Buffer.concat([keyIdOf(name, publicKey), signature]).toString('base64')
  return `${text}\n— ${name} ${signed}\n`
}

/** The key that others verify notes with: `<name>+<8 hex digits>+<base64>`.
 * @throws CryptoError bad_note: the name contains a blank or a plus */
export function verifierKey({ name, publicKey }: Omit<NoteSigner, 'signer'>): string {
  requireName(name)
  const key = Buffer.concat([ED25519, publicKey]).toString('base64')
  return `${name}+${keyIdOf(name, publicKey).toString('hex')}+${key}`
}

/** The text of a note, its last line feed included, if this key signed it.
 * @returns null when no signature of this key fits
 * @throws CryptoError bad_note: not a note, or not a verifier key */
export function openNote(note: string, vkey: string): string | null {
  const key = parseVerifierKey(vkey)
  const end = note.lastIndexOf('\n\n')
  if (end < 0) throw new CryptoError('bad_note', 'not a signed note')
  const text = note.slice(0, end + 1)
  const lines = note.slice(end + 2).split('\n')
  return lines.some((line) => isSignature(line, text, key)) ? text : null
}

type VerifierKey = { name: string; id: Buffer; key: KeyObject }

function parseVerifierKey(vkey: string): VerifierKey {
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(vkey) ?? []
  const bytes = decoded(encoded)
  const publicKey = bytes?.subarray(1)
  if (bytes?.[0] !== ED25519[0] || publicKey?.length !== ED25519_BYTES) throw notAKey()
  if (keyIdOf(name, publicKey).toString('hex') !== id) throw notAKey()
  return {
    name,
    id: Buffer.from(id, 'hex'),
    key: verifyingKeyOf(publicKey),
  }
}

function isSignature(line: string, text: string, { name, id, key }: VerifierKey): boolean {
  const [, signer, encoded = ''] = SIGNATURE_LINE.exec(line) ?? []
  const bytes = signer === name ? decoded(encoded) : null
  if (!bytes || !id.equals(bytes.subarray(0, KEY_ID_BYTES))) return false
  return verify(null, Buffer.from(text), key, bytes.subarray(KEY_ID_BYTES))
}

function keyIdOf(name: string, publicKey: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey])
  return hash('sha256', named, 'buffer').subarray(0, KEY_ID_BYTES)
}

function decoded(text: string): Uint8Array | null {
  try {
    return decodeBase64(text)
  } catch {
    return null
  }
}

function requireName(name: string): void {
  if (!/^[^\s+]+$/.test(name)) throw new CryptoError('bad_note', 'the name of a key has no blank and no plus')
}

const notAKey = () => new CryptoError('bad_note', 'not a verifier key of an Ed25519 public key')
