import { decodeBase64 } from '@keyferry/crypto/base64'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'

/** What every receipt says of its request. */
export type RequestFacts = {
  readonly requestId: string
  /** Base64. */
  readonly clientPublicKey: string
  readonly boxDigest: string
  readonly bundle: string
  /** Usernames of who approved. */
  readonly approvers: readonly string[]
  /** Of the command; null: the client did not send it. */
  readonly commandDigest: string | null
}

/** What the server signed about one delivery. */
export type Receipt = RequestFacts & {
  readonly names: readonly string[]
  /** ISO timestamp. */
  readonly approvedAt: string
  /** How the approval returned; null: it did not have to return. */
  readonly releasedBy: 'loopback' | 'code' | null
  /** A remembered approval was repeated. */
  readonly isRepeated: boolean
}

/** Check the signature of a receipt and read it.
 * @param publicKey of the server, 32 bytes
 * @throws CliError refused: not signed by this key, or malformed */
export function readReceipt(signed: SignedReceipt, publicKey: Uint8Array): Receipt {
  return deliveryReceiptIn(verifiedFields(signed, publicKey))
}

/** The fields of a receipt whose signature is valid.
 * @throws CliError refused: not signed by this key, or malformed */
export function verifiedFields(
  { payload, signature }: SignedReceipt,
  publicKey: Uint8Array,
): Record<string, unknown> {
  const bytes = decoded(payload)
  if (!receiptFits(bytes, { publicKey, signature: decoded(signature) })) {
    throw refusedAnswer('the receipt is not signed by the key of this server')
  }
  const fields = parseObject(new TextDecoder().decode(bytes)) ?? {}
  if (fields['v'] === 1) return fields
  throw refusedAnswer('this version of Keyferry does not know the format of the receipt')
}

function decoded(base64: string): Uint8Array {
  try {
    return decodeBase64(base64)
  } catch (cause) {
    throw refusedAnswer('the receipt is not base64', { cause })
  }
}

/** What the verified fields of a receipt say of a delivery.
 * @throws CliError refused: malformed, or of a deposit */
export function deliveryReceiptIn(fields: Record<string, unknown>): Receipt {
  const { released_by, grant_id, keys, kind } = fields
  if (kind !== undefined) throw refusedAnswer('the receipt is not for a delivery')
  return {
    ...requestFacts(fields),
    names: listIn(keys).map(({ name }) => text(name)),
    approvedAt: text(fields['approved_at']),
    releasedBy: released_by === 'loopback' || released_by === 'code' ? released_by : null,
    isRepeated: typeof grant_id === 'string',
  }
}

/** @throws CliError refused: malformed */
export function requestFacts(fields: Record<string, unknown>): RequestFacts {
  const { argv_sha256, bundle, approvers } = fields
  return {
    requestId: text(fields['request_id']),
    clientPublicKey: text(fields['client_pubkey']),
    boxDigest: text(fields['ciphertext_sha256']),
    bundle: text(isObject(bundle) ? bundle['name'] : undefined),
    approvers: listIn(approvers).map(({ username }) => text(username)),
    commandDigest: typeof argv_sha256 === 'string' ? argv_sha256 : null,
  }
}

/** A text of a receipt, safe to print.
 * @throws CliError refused: it is missing */
export function text(value: unknown): string {
  if (typeof value === 'string') return printable(value, 500)
  throw refusedAnswer('the receipt lacks a field')
}

/** The objects of a list in a receipt.
 * @throws CliError refused: it is missing */
export function listIn(list: unknown): Record<string, unknown>[] {
  if (!Array.isArray(list)) throw refusedAnswer('the receipt lacks a list')
  return list.map((entry: unknown) => (isObject(entry) ? entry : {}))
}

/** What this client knows about its request without the server. */
type Known = {
  readonly requestId: string
  readonly clientPublicKey: Uint8Array
  readonly box: Uint8Array
  /** The command that was sent; null: none. */
  readonly argv: readonly string[] | null
}

/** Whether the receipt is for this request, this box and this command.
 * @throws CliError refused, naming what differs */
export function requireFits(receipt: RequestFacts, { requestId, clientPublicKey, box, argv }: Known): void {
  const differs = [
    receipt.requestId === requestId ? null : 'another request',
    receipt.clientPublicKey === Buffer.from(clientPublicKey).toString('base64') ? null : 'another key',
    receipt.boxDigest === boxDigest(box) ? null : 'other values',
    argv === null || receipt.commandDigest === commandDigest(argv) ? null : 'another command',
  ].filter((what) => what !== null)
  if (differs.length === 0) return
  throw refusedAnswer(`the receipt is for ${differs.join(', ')}`)
}

/** Whether the receipt lists the names that were in the box.
 * @throws CliError refused */
export function requireNames(receipt: Receipt, names: readonly string[]): void {
  if (receipt.names.toSorted().join('\n') === names.toSorted().join('\n')) return
  throw refusedAnswer('the receipt lists other names than the delivery')
}
