import { CryptoError } from './crypto-error.ts'
import { membersOf } from './json-text.ts'

/** What a browser wrote about a ceremony: the JSON text that an authenticator signs by its digest. */
export type ClientData = Readonly<Record<string, unknown>>

/** Read client data and refuse a ceremony that ran in a frame of another site. WebKit leaves `topOrigin` out, so
 * `crossOrigin` alone refuses too.
 * @throws CryptoError bad_passkey: not a JSON object, or made in a frame of another site */
export function readClientData(bytes: Uint8Array): ClientData {
  const data = objectOf(bytes)
  const { crossOrigin = false, topOrigin } = data
  if (crossOrigin !== false || topOrigin !== undefined)
    throw new CryptoError('bad_passkey', 'passkey was used in a frame of another site')
  return data
}

function objectOf(bytes: Uint8Array): ClientData {
  try {
    const data = membersOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)))
    if (data !== null) return data
  } catch (cause) {
    throw new CryptoError('bad_passkey', 'client data is not JSON', { cause })
  }
  throw new CryptoError('bad_passkey', 'client data is not an object')
}
