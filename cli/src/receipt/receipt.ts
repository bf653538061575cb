import { decodeBase64 } from '@keyferry/crypto/base64'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { refusedAnswer } from '../base/cli-error.ts'
import {
  field,
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
    throw refusedAnswer('the receipt is not base64', cause)
  }
}

/** A text of a receipt, safe to print. */
export const receiptText = refusing(shown(500), () => refusedAnswer('the receipt lacks a field'))

export function receiptList<T>(item: Shape<T>): Shape<readonly T[]> {
  return refusing(list(item), () => refusedAnswer('the receipt lacks a list'))
}

export const receiptName = refusing(field('name', receiptText), () =>
  refusedAnswer('the receipt lacks a field'),
)

/** What every receipt says of its request.
 * @throws CliError refused: malformed */
export const requestFacts = object({
  requestId: receiptText,
  /** Base64. */
  clientPubkey: receiptText,
  ciphertextSha256: receiptText,
  bundle: receiptName,
  /** Usernames of who approved. */
  approvers: receiptList(field('username', receiptText)),
  /** Of the command; null: the client did not send it. */
  argvSha256: orNull(string),
})

const DELIVERY = object({
  /** Names. */
  keys: receiptList(receiptName),
  /** ISO timestamp. */
  approvedAt: receiptText,
  /** How the approval returned; null: it did not have to return. */
  releasedBy: orNull(oneOf('loopback', 'code')),
  /** The remembered approval that was repeated; null: none. */
  grantId: orNull(string),
})

export type RequestFacts = ReturnType<typeof requestFacts>
/** What the server signed about one delivery. */
export type Receipt = RequestFacts & ReturnType<typeof DELIVERY>

/** What the verified fields of a receipt say of a delivery.
 * @throws CliError refused: malformed, or of a deposit */
export function deliveryReceiptIn(fields: Record<string, unknown>): Receipt {
  if (fields['kind'] !== undefined) throw refusedAnswer('the receipt is not for a delivery')
  return { ...requestFacts(fields), ...DELIVERY(fields) }
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
    receipt.clientPubkey === Buffer.from(clientPublicKey).toString('base64') ? null : 'another key',
    receipt.ciphertextSha256 === boxDigest(box) ? null : 'other values',
    argv === null || receipt.argvSha256 === commandDigest(argv) ? null : 'another command',
  ].filter((what) => what !== null)
  if (differs.length === 0) return
  throw refusedAnswer(`the receipt is for ${differs.join(', ')}`)
}

/** Whether the receipt lists the names that were in the box.
 * @throws CliError refused */
export function requireNames(receipt: Receipt, names: readonly string[]): void {
  if (receipt.keys.toSorted().join('\n') === names.toSorted().join('\n')) return
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
