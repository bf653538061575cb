import { isKeyName } from '@keyferry/contract/env/names'
import { decodeBase64 } from '@keyferry/crypto/base64'
import { digestOf } from '@keyferry/crypto/digest'
import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { type CliError, refusedAnswer, refusedError } from '../base/cli-error.ts'
import type { Parts, Values } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { list, object, parseObject, read, string } from '../base/shape.ts'
import { isWorkspace } from '../project/workspace-pins.ts'
import { isKnownByItsUser, pinnedKeys } from '../receipt/pinned-keys.ts'
import { deliveryReceiptIn, type Receipt, requireFits, signedFields } from '../receipt/receipt.ts'
import type { AnswerName, Delivery } from '../server/wait-answer.ts'
import { sentCommand } from './claims.ts'
import type { ValuesRequest } from './values-request.ts'

/** Open the sealed box, and check that it has what was requested here: the approver decides what to deliver, and the
 * program gets it only then.
 * @throws CliError refused: another bundle, not a sealed box for this key, not a map of strings, names
 *   that were not requested or are missing, names or values that an environment cannot express */
export function openDelivery(delivery: Delivery, keyPair: KeyPair, request: RequestedNames): Values {
  if (!request.acceptsAnyBundle && isOther(delivery.bundle, request.bundle))
    throw otherThanRequested('bundle', delivery.bundle, request.bundle)
  const values = readValues(openBox(delivery.ciphertextBase64, keyPair))
  requireRequestedKeys(values, request)
  return values
}

/** The values whose names are not among these. */
export function secretsOf(values: Values, publicNames: readonly string[]): Values {
  return new Map([...values].filter(([name]) => !publicNames.includes(name)))
}

const MARKS = object({ of: string, public: list(string) })

const wrongMarks = () => refusedAnswer('the marks of the values are not for this delivery')

/** The names that a box marks as not secret. It counts only with the digest of the delivered values: anyone can seal a
 * box to this key, but a layer before the API does not know the values.
 * @throws CliError refused: not a box for this key, or not made for these values */
export function markedPublic(
  { delivery, marks }: { readonly delivery: Delivery; readonly marks: string | null },
  keyPair: KeyPair,
): readonly string[] {
  if (marks === null) return []
  const { of, public: names } = read(parseObject(openBox(marks, keyPair)), MARKS, wrongMarks)
  if (of !== digestOf(openBox(delivery.ciphertextBase64, keyPair))) throw wrongMarks()
  return names
}

type RequestedNames = Pick<ValuesRequest, 'bundle' | 'acceptsAnyBundle' | 'keys' | 'optionalKeys'>

function readValues(plaintext: string): Values {
  const map = parseObject(plaintext)
  if (map === null) throw refusedAnswer('the delivery is not a map of variables')
  return new Map(Object.entries(map).map(([name, value]) => [name, readValue(name, value)]))
}

function readValue(name: string, value: unknown): string {
  if (!isKeyName(name))
    throw refusedAnswer(`the delivery has an invalid variable name: ${printable(name, 80)}`)
  if (typeof value !== 'string') throw refusedAnswer(`the value of ${name} is not a string`)
  if (value.includes('\0') || !value.isWellFormed()) {
    throw refusedAnswer(
      `the value of ${name} contains NUL or invalid Unicode, which an environment variable cannot hold`,
    )
  }
  return value
}

/** Whether a machine got values of the workspace that it named. Its credential decides which one that is, so a name is
 * enough.
 * @throws CliError refused */
export function requireOwnWorkspace(
  { workspace }: Delivery,
  { workspace: text, acceptsAnyBundle }: Pick<ValuesRequest, 'workspace' | 'acceptsAnyBundle'>,
): void {
  if (acceptsAnyBundle || workspace === null || text === null || isWorkspace(workspace, text)) return
  throw otherThanRequested('workspace', workspace, text)
}

/** Whether every requested key was delivered, except the optional ones, and no other.
 * @throws CliError refused, naming each key that is missing or was not requested */
function requireRequestedKeys(values: Values, { keys, optionalKeys }: RequestedNames): void {
  const unasked = [...values.keys()].filter((name) => keys.length > 0 && !keys.includes(name))
  if (unasked.length > 0)
    throw refusedAnswer(`the delivery has variables that were not requested: ${unasked.join(', ')}`)
  const missing = keys.filter((name) => !values.has(name) && !optionalKeys.includes(name))
  if (missing.length === 0) return
  throw refusedError(
    `requested but not delivered: ${missing.join(', ')}`,
    `Nothing was started and the values were dropped. Approve these variables too, or add --optional ${missing.join(',')}.`,
  )
}

// An older server does not name the bundle.
function isOther(delivered: AnswerName | null, requested: string | null): delivered is AnswerName {
  if (delivered === null || requested === null) return false
  return delivered.name !== requested && delivered.id !== requested.toLowerCase()
}

function otherThanRequested(kind: string, { name }: AnswerName, requested: string | null): CliError {
  return refusedError(
    `the approver chose the ${kind} ${printable(name, 80)}, but ${requested} was requested`,
    'Nothing was started and the values were dropped. Run the command again, or accept any bundle with --any-bundle.',
  )
}

/** The text of a box that is sealed to the key of a request.
 * @throws CliError refused */
export function openBox(ciphertextBase64: string, keyPair: KeyPair): string {
  let bytes: Uint8Array | undefined
  try {
    bytes = open(decodeBase64(ciphertextBase64), keyPair)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refusedAnswer('the delivery cannot be opened with the key of this request')
  } finally {
    if (bytes !== undefined) wipe(bytes)
  }
}

/** Check the receipt of a delivery before its box is opened.
 * @returns null if the server signs none, and never did · @throws CliError refused · NoAnswer */
export async function checkReceipt(
  { receipt: signed, ciphertextBase64 }: Delivery,
  { request, pending, parts }: { request: ValuesRequest; pending: PendingRequest; parts: Parts },
): Promise<Receipt | null> {
  const { server } = pending
  if (signed === null) {
    const hasSigned = !isKnownByItsUser(server, parts) && pinnedKeys(server, parts).length > 0
    if (hasSigned) throw unsigned(server)
    requireAssurance(null, request)
    return null
  }
  const receipt = deliveryReceiptIn(await signedFields(signed, server, parts))
  requireFits(receipt, { pending, box: decodeBase64(ciphertextBase64), argv: sentCommand(request.command) })
  requireAssurance(receipt, request)
  return receipt
}

function unsigned(server: string): CliError {
  return refusedError(
    `${server} signed its deliveries before, and this one is not signed`,
    'Nothing was used. An attacker may be between you and the server. Ask the operator of the server.',
  )
}

// A repeated approval was bound over loopback when it was given.
function requireAssurance(receipt: Receipt | null, { requiredAssurance }: ValuesRequest): void {
  if (requiredAssurance === null) return
  const isLocal = receipt !== null && (receipt.releasedBy === 'loopback' || receipt.grantId !== null)
  const isBound = isLocal || receipt?.releasedBy === 'code'
  if (requiredAssurance === 'local' ? isLocal : isBound) return
  throw refusedError(
    `the approval did not return through this ${requiredAssurance === 'local' ? 'machine' : 'terminal'}, as --require-assurance ${requiredAssurance} asks`,
    'Nothing was started and the values were dropped. Start the command again and approve in the browser that it opens.',
  )
}
