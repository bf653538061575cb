import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { CryptoError } from './crypto-error.ts'

/*
 * Public keys of authenticators (RFC 9052): a CBOR map from whole numbers to whole numbers and bytes. Each form is
 * exact: another, missing or additional member is refused.
 */

type CoseMember = number | Uint8Array
type Members = ReadonlyMap<number, CoseMember>

type CoseForm = {
  /** The members that say what the key is. */
  fixed: readonly (readonly [label: number, value: number])[]
  /** The parts of the key, by their names in JWK. */
  parts: readonly (readonly [label: number, name: 'x' | 'y' | 'n' | 'e'])[]
  jwk: { kty: string; crv?: string }
  digest: 'sha256' | null
}

const [KTY, ALG] = [1, 3]
const P256_BYTES = 32
const MIN_RSA_BYTES = 256

const FORMS: readonly CoseForm[] = [
  {
    fixed: [
      [KTY, 1],
      [ALG, -8],
      [-1, 6],
    ],
    parts: [[-2, 'x']],
    jwk: { kty: 'OKP', crv: 'Ed25519' },
    digest: null,
  },
  {
    fixed: [
      [KTY, 2],
      [ALG, -7],
      [-1, 1],
    ],
    parts: [
      [-2, 'x'],
      [-3, 'y'],
    ],
    jwk: { kty: 'EC', crv: 'P-256' },
    digest: 'sha256',
  },
  {
    fixed: [
      [KTY, 3],
      [ALG, -257],
    ],
    parts: [
      [-1, 'n'],
      [-2, 'e'],
    ],
    jwk: { kty: 'RSA' },
    digest: 'sha256',
  },
]

/** A public key that can check signatures. */
export type CoseKey = { readonly key: KeyObject; readonly digest: 'sha256' | null }

/** Read a COSE key: EdDSA, ES256 or RS256.
 * @throws CryptoError bad_passkey: malformed, of another algorithm, or too short */
export function readCoseKey(bytes: Uint8Array): CoseKey {
  const members = readMap(bytes)
  const form = FORMS.find(({ fixed }) => fixed.every(([label, value]) => members.get(label) === value))
  if (!form || members.size !== form.fixed.length + form.parts.length) throw refused()
  const parts = form.parts.map(([label, name]) => [name, partOf(members.get(label), name)])
  try {
    const jwk = { ...form.jwk, ...Object.fromEntries(parts) }
    return { key: createPublicKey({ key: jwk, format: 'jwk' }), digest: form.digest }
  } catch (cause) {
    throw refused(cause)
  }
}

/** Whether this key signed these bytes. */
export function coseSignatureFits(
  message: Uint8Array,
  { key, digest }: CoseKey,
  signature: Uint8Array,
): boolean {
  return verify(digest, message, key, signature)
}

function partOf(value: CoseMember | undefined, name: string): string {
  if (!(value instanceof Uint8Array)) throw refused()
  const isRightSize =
    name === 'n' ? value.length >= MIN_RSA_BYTES : name === 'e' || value.length === P256_BYTES
  if (!isRightSize) throw refused()
  return Buffer.from(value).toString('base64url')
}

function readMap(bytes: Uint8Array): Members {
  const reader = { view: Buffer.from(bytes), at: 0 }
  const { major, count } = readHead(reader)
  if (major !== 5) throw refused()
  const members = new Map<number, CoseMember>()
  for (let read = 0; read < count; read += 1) {
    const label = readMember(reader)
    if (typeof label !== 'number' || members.has(label)) throw refused()
    members.set(label, readMember(reader))
  }
  if (reader.at !== bytes.length) throw refused()
  return members
}

type CborReader = { readonly view: Buffer; at: number }

function readMember(reader: CborReader): CoseMember {
  const { major, count } = readHead(reader)
  if (major === 0) return count
  if (major === 1) return -1 - count
  if (major !== 2 || reader.at + count > reader.view.length) throw refused()
  reader.at += count
  return reader.view.subarray(reader.at - count, reader.at)
}

// The shortest form of a length is the only one.
function readHead(reader: CborReader): { major: number; count: number } {
  const first = reader.view[reader.at] ?? 0xff
  const [major, short] = [first >> 5, first & 31]
  const size = [0, 1, 2][short < 24 ? 0 : short - 23]
  if (size === undefined || reader.at + 1 + size > reader.view.length) throw refused()
  const count = size === 0 ? short : reader.view.readUIntBE(reader.at + 1, size)
  if ((size === 1 && count < 24) || (size === 2 && count < 256)) throw refused()
  reader.at += 1 + size
  return { major, count }
}

function refused(cause?: unknown): CryptoError {
  return new CryptoError('bad_passkey', 'public key is malformed or of an unknown kind', { cause })
}
