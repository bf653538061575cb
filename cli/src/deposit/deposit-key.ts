import { decodeBase64 } from '@keyferry/crypto/base64'
import { depositKeyFits, depositKeyId } from '@keyferry/crypto/deposit'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { object, type Shape, string } from '../base/shape.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import { readEndpoint } from '../server/endpoint-call.ts'

/** The key that this server opens deposits with. */
export type DepositKey = { readonly kid: string; readonly publicKey: Uint8Array }

/** Get the key that values are sealed to. It must be signed by the key that signs this server's receipts, which is
 * pinned, so a layer between this client and the API cannot offer its own key.
 * @throws CliError refused · NoAnswer */
export async function fetchDepositKey(server: string, parts: Parts): Promise<DepositKey> {
  const at = { server, exchange: parts.exchange }
  const {
    kid,
    publicKey,
    signedBy: signed,
  } = await readEndpoint(at, 'getDepositKey', { shape: KEY, malformed })
  const receiptKey = await keyOf(server, signed.kid, parts)
  if (
    depositKeyId(publicKey) === kid &&
    depositKeyFits(publicKey, { publicKey: receiptKey, signature: signed.signature })
  )
    return { kid, publicKey }
  throw refusedAnswer('the deposit key is not signed by the key of this server')
}

const malformed = 'the server sent a deposit key that this client does not know'

const bytes: Shape<Uint8Array> = (value) => {
  const base64 = string(value)
  try {
    return decodeBase64(base64)
  } catch (cause) {
    throw refusedAnswer(malformed, cause)
  }
}

const KEY = object({ kid: string, publicKey: bytes, signedBy: object({ kid: string, signature: bytes }) })
