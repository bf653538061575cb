import { hash, sign } from 'node:crypto'
import { type SignedBy, signatureFits } from './ed25519.ts'
import { frame } from './frame.ts'
import type { ReceiptKey } from './receipt.ts'
import { userCode } from './user-code.ts'

/*
 * A client seals the values that it deposits to a key of the API, so that no layer before the API reads them. The API
 * signs that key with its receipt key, which clients pin. The box contains a digest of everything that the approval
 * page shows, so that a box cannot be moved to other names.
 */

const KID_DIGITS = 16

/** What the approver sees of a deposit. `replace`: names, or `all`. */
export type DepositContent = {
  /** The id of the deposit key. */
  readonly kid: string
  /** The client's 32 bytes. */
  readonly publicKey: Uint8Array
  readonly pollChallenge: string
  readonly bundle: string
  readonly workspace: string | null
  /** In the order of the values. `isSecret`: null where the client does not say. */
  readonly entries: readonly { readonly name: string; readonly isSecret: boolean | null }[]
  /** Names that the bundle no longer delivers. */
  readonly detach: readonly string[]
  readonly own: readonly string[]
  readonly share: readonly string[]
  readonly replace: 'all' | readonly string[]
  /** What follows for other bundles. */
  readonly also?: readonly DepositOfBundle[]
}

/** What a deposit sends to one more bundle. */
export type DepositOfBundle = Pick<DepositContent, 'bundle' | 'entries'>

/** The digest that binds a box to its content: 64 lower-case hex digits. */
export function depositBinding({ entries, also = [], ...content }: DepositContent): string {
  const { kid, publicKey, pollChallenge, bundle, workspace, detach, own, share, replace } = content
  const marks = marksOf(entries)
  const more = also.flatMap((each) => [each.bundle, `${each.entries.length}`, ...marksOf(each.entries)])
  const choices = [detach.join(), own.join(), share.join(), replace === 'all' ? '*' : replace.join()]
  const version = also.length === 0 ? 'v1' : 'v2'
  const head = [`keyferry deposit ${version}`, kid, publicKey, pollChallenge, bundle, workspace ?? '']
  const counted = also.length === 0 ? [] : [`${entries.length}`]
  return hash('sha256', frame(...head, ...choices, ...counted, ...marks, ...more), 'hex')
}

function marksOf(entries: DepositContent['entries']): string[] {
  return entries.flatMap(({ name, isSecret }) => [name, markOf(isSecret)])
}

function markOf(isSecret: boolean | null): string {
  return isSecret === null ? '' : isSecret ? 'secret' : 'public'
}

/** The check code of a deposit. Unlike that of a delivery it covers the content and the box as well. */
export function depositUserCode(
  requestId: string,
  { publicKey, binding, box }: { publicKey: Uint8Array; binding: string; box: Uint8Array },
): string {
  const boxHash = hash('sha256', box, 'buffer')
  return userCode(
    requestId,
    hash('sha256', frame('keyferry deposit code v1', publicKey, binding, boxHash), 'buffer'),
  )
}

/** The name of a deposit key, made from its public half of 32 bytes: 16 lower-case hex digits. */
export function depositKeyId(publicKey: Uint8Array): string {
  return hash('sha256', frame('keyferry deposit kid v1', publicKey), 'hex').slice(0, KID_DIGITS)
}

/** Sign the public half of a deposit key.
 * @returns 64 bytes */
export function signDepositKey(publicKey: Uint8Array, { signer }: Pick<ReceiptKey, 'signer'>): Uint8Array {
  return sign(null, statementOf(publicKey), signer)
}

/** Whether a receipt key signed this deposit key. */
export function depositKeyFits(publicKey: Uint8Array, proof: SignedBy): boolean {
  return signatureFits(statementOf(publicKey), proof)
}

function statementOf(publicKey: Uint8Array): Buffer {
  return frame('keyferry deposit key v1', publicKey)
}
