import { groupBy } from '@keyferry/contract/group-by'
import { decodeBase64 } from '@keyferry/crypto/base64'
import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { refusedAnswer, refusedError } from '../base/cli-error.ts'
import { writeOutputFile } from '../base/output-file.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import {
  field,
  list,
  object,
  oneOf,
  optional,
  orNull,
  parseObject,
  refusing,
  type Shape,
  shown,
  string,
} from '../base/shape.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { keyOf } from './pinned-keys.ts'

/** The fields of a receipt whose signature is valid.
 * @param publicKey of the server, 32 bytes
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
  } catch {
    throw refusedAnswer('the receipt is not base64')
  }
}

// Texts are safe to print.
const text = refusing(shown(500), () => refusedAnswer('the receipt lacks a field'))
const named = refusing(field('name', text), () => refusedAnswer('the receipt lacks a field'))
const workspace = refusing(object({ id: text, name: text }), () => refusedAnswer('the receipt lacks a field'))

function listOf<T>(item: Shape<T>): Shape<readonly T[]> {
  return refusing(list(item), () => refusedAnswer('the receipt lacks a list'))
}

/** What every receipt says of its request. */
const FACTS = {
  requestId: text,
  /** Base64. */
  clientPubkey: text,
  ciphertextSha256: text,
  bundle: named,
  /** Usernames of who approved. */
  approvers: listOf(field('username', text)),
  /** Of the command; null: the client did not send it. */
  argvSha256: orNull(string),
}

/** What the server signed about one delivery. */
const DELIVERY = object({
  ...FACTS,
  /** Null: an older server does not say. */
  workspace: optional(workspace, null),
  /** Names. */
  keys: listOf(named),
  /** Names of values that are not secret; an older server does not say. */
  public: optional(listOf(text), []),
  /** ISO timestamp. */
  approvedAt: text,
  /** How the approval returned; null: it did not have to return. */
  releasedBy: orNull(oneOf('loopback', 'code')),
  /** The remembered approval that was repeated; null: none. */
  grantId: orNull(string),
})
export type Receipt = ReturnType<typeof DELIVERY>

/** What happened to each: an action of an import. */
const changes = listOf(object({ name: text, action: text }))

/** What the server signed about one deposit. */
const DEPOSIT = object({
  ...FACTS,
  workspace,
  variables: changes,
  /** Of other bundles. */
  also: optional(listOf(object({ bundle: named, variables: changes })), []),
  /** ISO timestamp. */
  storedAt: text,
})
export type DepositReceipt = ReturnType<typeof DEPOSIT>

/** What the server signed about the approval of a deposit, before anything is stored. */
const STATEMENT = object({ ...FACTS, workspace, also: optional(listOf(named), []) })
export type DepositStatement = ReturnType<typeof STATEMENT>

/** What the verified fields of a statement say of an approval.
 * @throws CliError refused: malformed, or a receipt */
export function statementIn(fields: Record<string, unknown>): DepositStatement {
  if (fields['kind'] === 'deposit_approval') return STATEMENT(fields)
  throw refusedAnswer('the statement is not for the approval of a deposit')
}

/** What the verified fields of a receipt say of a delivery.
 * @throws CliError refused: malformed, or of a deposit */
export function deliveryReceiptIn(fields: Record<string, unknown>): Receipt {
  if (fields['kind'] === undefined) return DELIVERY(fields)
  throw refusedAnswer('the receipt is not for a delivery')
}

/** What the verified fields of a receipt say of a deposit.
 * @throws CliError refused: malformed, or of a delivery */
export function depositReceiptIn(fields: Record<string, unknown>): DepositReceipt {
  if (fields['kind'] === 'deposit') return DEPOSIT(fields)
  throw refusedAnswer('the receipt is not for a deposit')
}

/** What this client knows about its request without the server. */
type ReceiptContext = {
  readonly pending: Pick<PendingRequest, 'id' | 'server' | 'keyPair'>
  readonly box: Uint8Array
  /** The command that was sent; null: none. */
  readonly argv: readonly string[] | null
}

/** The fields of a receipt that is signed with the key that this client knows of the server.
 * @throws CliError refused · NoAnswer */
export async function signedFields(
  receipt: SignedReceipt,
  server: string,
  parts: Parts,
): Promise<Record<string, unknown>> {
  return verifiedFields(receipt, await keyOf(server, receipt.kid, parts))
}

/** Require that the receipt is for this request, this box and this command.
 * @throws CliError refused, naming what differs */
export function requireFits(
  receipt: Receipt | DepositReceipt | DepositStatement,
  { pending, box, argv }: ReceiptContext,
): void {
  const publicKey = Buffer.from(pending.keyPair.publicKey).toString('base64')
  const differs = [
    receipt.requestId === pending.id ? null : 'another request',
    receipt.clientPubkey === publicKey ? null : 'another key',
    receipt.ciphertextSha256 === boxDigest(box) ? null : 'other values',
    argv === null || receipt.argvSha256 === commandDigest(argv) ? null : 'another command',
  ].filter((what) => what !== null)
  if (differs.length === 0) return
  throw refusedAnswer(`the receipt is for ${differs.join(', ')}`)
}

/** Require that the receipt lists the names that were in the box.
 * @throws CliError refused */
export function requireNames(receipt: Receipt, names: readonly string[]): void {
  if (areSame(receipt.keys, names)) return
  throw refusedAnswer('the receipt lists other variables than the delivery')
}

/** The variables that a deposit sends to a bundle. */
type SentNames = { bundle: string; names: readonly string[] }

/** Require that the receipt is for the bundles, the workspace and the variables of the deposit.
 * @throws CliError refused, naming what differs */
export function requireStored(
  receipt: DepositReceipt,
  { workspaceId, sent }: { workspaceId: string; sent: readonly SentNames[] },
): void {
  if (receipt.workspace.id !== workspaceId) throw refusedAnswer('the receipt is for another workspace')
  const stored = [receipt, ...receipt.also]
  if (stored.length !== sent.length) throw refusedAnswer('the receipt is for another bundle')
  for (const [index, { bundle, names }] of sent.entries()) {
    if (stored[index]?.bundle !== bundle) throw refusedAnswer('the receipt is for another bundle')
    const listed = stored[index].variables.map(({ name }) => name)
    if (!areSame(listed, names)) throw refusedAnswer('the receipt lists other variables than the deposit')
  }
}

/** How many variables had each action. */
export function countsOf({ variables }: Pick<DepositReceipt, 'variables'>): Readonly<Record<string, number>> {
  const groups = groupBy(variables, ({ action }) => action)
  return Object.fromEntries([...groups].map(([action, { length }]) => [action, length]))
}

function areSame(listed: readonly string[], names: readonly string[]): boolean {
  return listed.toSorted().join('\n') === names.toSorted().join('\n')
}

/** Write a receipt to a file that `keyferry receipt verify` reads.
 * @throws CliError refused: the server signs none · general */
export function writeReceipt(path: string, receipt: SignedReceipt | null, server: string): void {
  if (receipt === null) {
    throw refusedError(`${server} signs no receipts`, 'Omit --receipt, or update the server.')
  }
  writeOutputFile({ path, mayReplace: true }, `${JSON.stringify({ server, ...receipt })}\n`)
}
