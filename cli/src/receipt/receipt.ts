import { decodeBase64 } from '@keyferry/crypto/base64'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'

/** What the server signed about one delivery. */
export type Receipt = {
  readonly requestId: string
  /** Base64. */
  readonly clientPublicKey: string
  readonly boxDigest: string
  readonly bundle: string
  readonly names: readonly string[]
  /** Usernames of who approved. */
  readonly approvers: readonly string[]
  /** ISO timestamp. */
  readonly approvedAt: string
  /** How the approval returned; null: it did not have to return. */
  readonly releasedBy: 'loopback' | 'code' | null
  /** A remembered approval was repeated. */
  readonly isRepeated: boolean
  /** Of the command; null: the client did not send it. */
  readonly commandDigest: string | null
}

/** Check the signature of a receipt and read it.
 * @param publicKey of the server, 32 bytes
 * @throws CliError refused: not signed by this key, or malformed */
export function readReceipt({ payload, signature }: SignedReceipt, publicKey: Uint8Array): Receipt {
  const bytes = decoded(payload)
  if (!receiptFits(bytes, { publicKey, signature: decoded(signature) })) {
    throw refusedAnswer('the receipt is not signed by the key of this server')
  }
  return parseReceipt(parseObject(new TextDecoder().decode(bytes)) ?? {})
}

function decoded(base64: string): Uint8Array {
  try {
    return decodeBase64(base64)
  } catch (cause) {
    throw refusedAnswer('the receipt is not base64', { cause })
  }
}

function parseReceipt(fields: Record<string, unknown>): Receipt {
  const { v, released_by, grant_id, argv_sha256, bundle, keys, approvers } = fields
  if (v !== 1) throw refusedAnswer('this version of Keyferry does not know the format of the receipt')
  return {
    requestId: text(fields['request_id']),
    clientPublicKey: text(fields['client_pubkey']),
    boxDigest: text(fields['ciphertext_sha256']),
    bundle: text(isObject(bundle) ? bundle['name'] : undefined),
    names: texts(keys, 'name'),
    approvers: texts(approvers, 'username'),
    approvedAt: text(fields['approved_at']),
    releasedBy: released_by === 'loopback' || released_by === 'code' ? released_by : null,
    isRepeated: typeof grant_id === 'string',
    commandDigest: typeof argv_sha256 === 'string' ? argv_sha256 : null,
  }
}

function text(value: unknown): string {
  if (typeof value === 'string') return printable(value, 500)
  throw refusedAnswer('the receipt lacks a field')
}

function texts(list: unknown, field: string): string[] {
  if (!Array.isArray(list)) throw refusedAnswer('the receipt lacks a list')
  return list.map((entry: unknown) => text(isObject(entry) ? entry[field] : undefined))
}

/** What this client knows about the delivery without the server. */
export type Known = {
  readonly requestId: string
  readonly clientPublicKey: Uint8Array
  readonly box: Uint8Array
  /** The command that was sent; null: none. */
  readonly argv: readonly string[] | null
}

/** Whether the receipt is for this request, this box and this command.
 * @throws CliError refused, naming what differs */
export function requireFits(receipt: Receipt, { requestId, clientPublicKey, box, argv }: Known): void {
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
