import { CryptoError, type CryptoErrorCode } from './crypto-error.ts'

const ONE_ALPHABET = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/

/** Decode base64 strictly: one alphabet (standard or url-safe), right padding or none, no blanks, no spare bits set.
 * Node's own decoder skips what it does not know, which would give one key many spellings.
 * @throws CryptoError bad_base64 */
export function decodeBase64(text: string): Uint8Array {
  const padding = ONE_ALPHABET.exec(text)?.[1]
  if (padding === undefined || (padding !== '' && text.length % 4 !== 0)) throw notBase64()
  const bytes = Buffer.from(text, 'base64')
  const digits = text
    .slice(0, text.length - padding.length)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  if (bytes.toString('base64url') !== digits) throw notBase64()
  return bytes
}

/** As `decodeBase64`, but the error names the text.
 * @param what the text, for the message: `root key`
 * @throws CryptoError with `code` */
export function decodeBase64Of(what: string, text: string, code: CryptoErrorCode): Uint8Array {
  try {
    return decodeBase64(text)
  } catch (cause) {
    throw new CryptoError(code, `${what} is not base64`, { cause })
  }
}

/** Standard base64 without padding. */
export function unpaddedBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

function notBase64(): CryptoError {
  return new CryptoError('bad_base64', 'not canonical base64')
}
