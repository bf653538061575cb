import { refusedAnswer } from '../ground/cli-error.ts'
import type { Exchange } from '../ground/exchange.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { refusal } from './server-failure.ts'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 64 * 1024
const KEY = /^[A-Za-z0-9+/]{43}=$/
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/

/** A key with which a server signs receipts: base64 of 32 bytes. `endorsedBy`: the key before signed this one. */
export type ReceiptKey = {
  readonly kid: string
  readonly publicKey: string
  readonly endorsedBy: { readonly kid: string; readonly signature: string } | null
}

/** @throws CliError refused · NetworkError */
export async function fetchReceiptKeys(server: string, exchange: Exchange): Promise<readonly ReceiptKey[]> {
  const answer = await exchange({
    method: 'GET',
    url: `${server}/api/v1/receipt-keys`,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  if (answer.status !== 200) throw refusal(answer, server)
  const keys = parseObject(answer.body)?.['keys']
  if (!Array.isArray(keys)) throw malformed()
  return keys.map(readKey)
}

function readKey(value: unknown): ReceiptKey {
  const { kid, public_key, endorsed_by } = isObject(value) ? value : {}
  if (typeof kid !== 'string' || typeof public_key !== 'string' || !KEY.test(public_key)) throw malformed()
  if (endorsed_by === null) return { kid, publicKey: public_key, endorsedBy: null }
  const { kid: older, signature } = isObject(endorsed_by) ? endorsed_by : {}
  if (typeof older !== 'string' || typeof signature !== 'string' || !SIGNATURE.test(signature))
    throw malformed()
  return { kid, publicKey: public_key, endorsedBy: { kid: older, signature } }
}

function malformed(): Error {
  return refusedAnswer('the server sent keys for receipts that this client does not know')
}
