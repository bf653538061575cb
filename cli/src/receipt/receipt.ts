import { decodeBase64 } from '@keyferry/crypto/base64'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { refusedAnswer } from '../base/cli-error.ts'
import {
  list,
  object,
  oneOf,
  orNull,
  parseObject,
  refusing,
  type Shape,
  shown,
  string,
} from '../base/shape.ts'
import { requireWritable, writeOutputFile } from '../output/output-file.ts'
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

/** A text of a receipt, safe to print. */
export const receiptText = refusing(shown(500), () => refusedAnswer('the receipt lacks a field'))

export function receiptList<T>(item: Shape<T>): Shape<readonly T[]> {
  return refusing(list(item), () => refusedAnswer('the receipt lacks a list'))
}

export const receiptName = refusing(object({ name: receiptText }), () =>
  refusedAnswer('the receipt lacks a field'),
)

const FACTS = object({
  request_id: receiptText,
  client_pubkey: receiptText,
  ciphertext_sha256: receiptText,
  bundle: receiptName,
  approvers: receiptList(object({ username: receiptText })),
  argv_sha256: orNull(string),
})

const DELIVERY = object({
  keys: receiptList(receiptName),
  approved_at: receiptText,
  released_by: orNull(oneOf('loopback', 'code')),
  grant_id: orNull(string),
})

/** What the verified fields of a receipt say of a delivery.
 * @throws CliError refused: malformed, or of a deposit */
export function deliveryReceiptIn(fields: Record<string, unknown>): Receipt {
  if (fields['kind'] !== undefined) throw refusedAnswer('the receipt is not for a delivery')
  const facts = requestFacts(fields)
  const { keys, approved_at: approvedAt, released_by: releasedBy, grant_id: grantId } = DELIVERY(fields)
  const names = keys.map(({ name }) => name)
  return { ...facts, names, approvedAt, releasedBy, isRepeated: grantId !== null }
}

/** @throws CliError refused: malformed */
export function requestFacts(fields: Record<string, unknown>): RequestFacts {
  const facts = FACTS(fields)
  return {
    requestId: facts.request_id,
    clientPublicKey: facts.client_pubkey,
    boxDigest: facts.ciphertext_sha256,
    bundle: facts.bundle.name,
    approvers: facts.approvers.map(({ username }) => username),
    commandDigest: facts.argv_sha256,
  }
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

/** Check that the receipt can be written, before a person approves.
 * @throws CliError */
export function requireReceiptFile(path: string): void {
  requireWritable({ path, mayReplace: true })
}

/** Write a receipt to a file that `keyferry receipt verify` reads. */
export function keepReceipt(path: string, receipt: SignedReceipt, server: string): void {
  writeOutputFile({ path, mayReplace: true }, `${JSON.stringify({ server, ...receipt })}\n`)
}
