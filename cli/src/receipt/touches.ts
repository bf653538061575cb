import { decodeBase64 } from '@keyferry/crypto/base64'
import { commandDigest } from '@keyferry/crypto/receipt'
import { touchChallenge } from '@keyferry/crypto/touch'
import { approvalKeyFingerprint, verifyTouch } from '@keyferry/crypto/touch-signature'
import { refusedAnswer } from '../base/cli-error.ts'
import { isObject, list, nullable, object, optional, parseObject, refusing, string } from '../base/shape.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'

/*
 * What the approvers signed with their signing keys, checked without a server. The server says whose key each is: only
 * a fingerprint that you know from the person shows that.
 */

/** A signature that is valid for what the receipt says. `person`: the id of the approver. */
type SignedApproval = { person: string; fingerprint: string }

const malformed = () => refusedAnswer('the receipt has a signature that this version of Keyferry cannot read')

const bytes = (value: unknown) => decodeBase64(string(value))

const TOUCH = refusing(
  object({
    statement: bytes,
    nonce: bytes,
    publicKey: bytes,
    clientData: bytes,
    authenticatorData: bytes,
    signature: bytes,
  }),
  malformed,
)
type SignedTouch = ReturnType<typeof TOUCH>

const objects = (value: unknown) => (isObject(value) ? value : parseObject(''))

const STATEMENT = refusing(
  object({
    tenant: string,
    person: string,
    bundle: objects,
    keys: optional(list(objects), null),
    parts: optional(list(objects), null),
    typed: optional(list(string), null),
    boxSha256: optional(string, null),
    request: object({ id: string, clientPubkey: string, argv: nullable(list(string)) }),
    way: nullable(string),
    first: nullable(object({ person: string, touch: string })),
  }),
  malformed,
)

const RECEIPT = refusing(
  object({
    requestId: string,
    clientPubkey: string,
    ciphertextSha256: string,
    argvSha256: nullable(string),
    workspace: object({ id: string }),
    bundle: objects,
    approvers: list(object({ id: string })),
    keys: optional(list(objects), null),
    parts: optional(list(objects), null),
    releasedBy: optional(nullable(string), null),
  }),
  malformed,
)

/** The signatures of a receipt whose own signature is valid, in the order of its approvers; none if nobody signed.
 * @param fields of the receipt
 * @param server whose page they signed on
 * @throws CliError refused: a signature is not valid, or was made for something else */
export function signedApprovals(
  { touches = [] }: Pick<SignedReceipt, 'touches'>,
  fields: Record<string, unknown>,
  server: string,
): readonly SignedApproval[] {
  if (touches.length === 0) return []
  const receipt = RECEIPT(fields)
  if (touches.length !== receipt.approvers.length)
    throw refusedAnswer('the receipt does not have a signature of each person who approved')
  let before: string | null = null
  return touches.map((given, index) => {
    const touch = TOUCH(given)
    const isLast = index === touches.length - 1
    requireSame(touch, { fields, person: receipt.approvers[index]?.id, before, isLast })
    before = challengeOf(touch).toString('base64url')
    requireValid(touch, server)
    return {
      person: receipt.approvers[index]?.id ?? '',
      fingerprint: approvalKeyFingerprint(touch.publicKey),
    }
  })
}

function challengeOf({ nonce, statement }: SignedTouch): Buffer {
  return Buffer.from(touchChallenge({ nonce, statement }))
}

// Whether the key can be on several devices, its own data says: here nobody knows how it was added.
function requireValid({ publicKey, ...touch }: SignedTouch, server: string): void {
  const isSynced = ((touch.authenticatorData[32] ?? 0) & 0x08) !== 0
  const { origin, hostname: rpId } = new URL(server)
  const challenge = challengeOf({ publicKey, ...touch })
  try {
    verifyTouch(touch, { challenge, origin, rpId, publicKey, isSynced, counter: null })
  } catch {
    throw refusedAnswer('a signature of the receipt is not valid')
  }
}

type Expected = {
  fields: Record<string, unknown>
  person: string | undefined
  /** What the person before signed. */
  before: string | null
  /** The last person signed how the approval returned. */
  isLast: boolean
}

function requireSame(touch: SignedTouch, { fields, person, before, isLast }: Expected): void {
  const signed = STATEMENT(parseObject(new TextDecoder().decode(touch.statement)))
  const receipt = RECEIPT(fields)
  const { argv } = signed.request
  const isSame = {
    workspace: signed.tenant === receipt.workspace.id,
    person: signed.person === person,
    bundle: signed.bundle?.['name'] === receipt.bundle?.['name'],
    request: signed.request.id === receipt.requestId,
    key: signed.request.clientPubkey === receipt.clientPubkey,
    command: (argv && commandDigest(argv)) === receipt.argvSha256,
    values: !isLast || areSameValues(signed, receipt),
    way: !isLast || receipt.keys === null || signed.way === receipt.releasedBy,
    first: (signed.first?.touch ?? null) === before,
  }
  const others = Object.entries(isSame).flatMap(([what, same]) => (same ? [] : [what]))
  if (others.length > 0) throw refusedAnswer(`a signature of the receipt is for another ${others.join(', ')}`)
}

// Of a deposit, the box has the values.
function areSameValues(signed: ReturnType<typeof STATEMENT>, receipt: ReturnType<typeof RECEIPT>): boolean {
  if (receipt.keys === null) return signed.boxSha256 === receipt.ciphertextSha256
  // A typed value has no key and no version.
  const typed = signed.typed?.map((name) => ({ name, key_id: null, version: null }))
  return (
    textOf([...(signed.keys ?? []), ...(typed ?? [])], signed.parts) === textOf(receipt.keys, receipt.parts)
  )
}

function textOf(...lists: readonly (readonly unknown[] | null)[]): string {
  return JSON.stringify(lists.map((items) => (items ?? []).map((item) => JSON.stringify(item)).toSorted()))
}
