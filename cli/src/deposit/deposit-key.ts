import { decodeBase64 } from '@keyferry/crypto/base64'
import { depositKeyFits, depositKeyId } from '@keyferry/crypto/deposit'
import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import type { Parts } from '../ground/parts.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import { refusal } from '../server/server-failure.ts'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024

/** The key that this server opens deposits with. */
export type DepositKey = { readonly kid: string; readonly publicKey: Uint8Array }

/** Get the key that values are sealed to. It must be signed by the key that signs this server's receipts, which is pinned, so
 * a layer between this client and the API cannot offer its own key.
 * @throws CliError refused · NetworkError */
export async function fetchDepositKey(server: string, parts: Parts): Promise<DepositKey> {
  const answer = await parts.exchange({
    method: 'GET',
    url: `${server}/api/v1/deposit-key`,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  if (answer.status !== 200) throw refusal(answer, server)
  const { kid, publicKey, signer, signature } = readKey(parseObject(answer.body) ?? {})
  const receiptKey = await keyOf(server, signer, parts)
  if (depositKeyId(publicKey) === kid && depositKeyFits(publicKey, { publicKey: receiptKey, signature }))
    return { kid, publicKey }
  throw refusedAnswer('the deposit key is not signed by the key of this server')
}

function readKey({ kid, public_key, signed_by }: Record<string, unknown>) {
  const { kid: signer, signature } = isObject(signed_by) ? signed_by : {}
  const areTexts = [kid, public_key, signer, signature].every((value) => typeof value === 'string')
  if (!areTexts) throw malformed()
  return {
    kid: String(kid),
    publicKey: decoded(String(public_key)),
    signer: String(signer),
    signature: decoded(String(signature)),
  }
}

function decoded(base64: string): Uint8Array {
  try {
    return decodeBase64(base64)
  } catch (cause) {
    throw malformed({ cause })
  }
}

function malformed(options?: ErrorOptions): Error {
  return refusedAnswer('the server sent a deposit key that this client does not know', options)
}
