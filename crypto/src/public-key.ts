import { decodeBase64Of } from './base64.ts'
import { CryptoError } from './crypto-error.ts'

export const PUBLIC_KEY_BYTES = 32

// The encodings below 2^255 of every point of small order: with one of these as the peer's key the shared secret is
// all zero for every secret key, so anyone could open the box. The last three are p-1, p and p+1.
// https://cr.yp.to/ecdh.html#validate
const LOW_ORDER_POINTS: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => Buffer.from(hex, 'hex'))

/** Read a client's X25519 public key: base64 (standard or url-safe, padding optional) of exactly 32 bytes.
 * @throws CryptoError bad_public_key: not base64, not 32 bytes, or a low-order point in any encoding */
export function parsePublicKey(text: string): Uint8Array {
  const publicKey = decodeBase64Of('public key', text, 'bad_public_key')
  requirePublicKey(publicKey)
  return publicKey
}

/** @throws CryptoError bad_public_key: not 32 bytes, or a low-order point in any encoding */
export function requirePublicKey(publicKey: Uint8Array): void {
  if (publicKey.length !== PUBLIC_KEY_BYTES)
    throw new CryptoError('bad_public_key', 'public key is not 32 bytes')
  if (isLowOrder(publicKey)) throw new CryptoError('bad_public_key', 'public key is a low-order point')
}

function isLowOrder(publicKey: Uint8Array): boolean {
  const withoutTopBit = Buffer.from(publicKey)
  withoutTopBit[PUBLIC_KEY_BYTES - 1] = (publicKey[PUBLIC_KEY_BYTES - 1] ?? 0) & 0x7f // X25519 ignores it
  return LOW_ORDER_POINTS.some((point) => withoutTopBit.equals(point))
}
