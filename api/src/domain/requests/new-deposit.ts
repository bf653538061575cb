import type { CreateRequest } from '@keyferry/contract'
import { depositBinding, depositUserCode } from '@keyferry/crypto/deposit'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { DepositKeyStore } from '../transfer/deposit-key.ts'
import type { DepositBox } from './stored-deposit.ts'
import type { ApprovalRequest } from './stored-request.ts'

/*
 * How a deposit begins. The request store gets the sealed box and the names, never a value.
 */

type DepositCall = z.output<typeof CreateRequest>

type DepositDraftBox = {
  /** Of the request. */
  id: string
  /** The client's 32 bytes. */
  publicKey: Uint8Array
  asked: DepositCall
  deposit: NonNullable<DepositCall['deposit']>
}

/** What the request store keeps of a new deposit.
 * @returns `box`: a `DepositBox` as JSON; `userCode`: the check code
 * @throws DomainError invalid: the deposit key is not known */
export async function newDeposit(
  { stores }: { stores: { depositKeys: DepositKeyStore } },
  { id, publicKey, asked, deposit }: DepositDraftBox,
): Promise<{ box: string; userCode: string }> {
  const { kid, detach, own, share, replace, ciphertext_base64: ciphertextBase64 } = deposit
  if (deposit.also.some(({ bundle }) => bundle === asked.bundle_id))
    throw new DomainError('invalid', 'deposit.also must not name a bundle twice')
  if ((await stores.depositKeys.find(kid)) === null) {
    const details = { field: 'deposit.kid' }
    throw new DomainError('invalid', 'the deposit key is not known: get the key again', { details })
  }
  const entries = marked(deposit.entries)
  const also = deposit.also.map((other) => ({ bundle: other.bundle, entries: marked(other.entries) }))
  const box: DepositBox = { kid, entries, detach, own, share, replace, also, ciphertextBase64 }
  const binding = bindingOf(box, {
    publicKey,
    pollChallenge: asked.poll_challenge ?? null,
    suggestedBundle: asked.bundle_id ?? null,
    suggestedWorkspace: asked.workspace ?? null,
  })
  const sealed = Buffer.from(ciphertextBase64, 'base64')
  return { box: JSON.stringify(box), userCode: depositUserCode(id, { publicKey, binding, box: sealed }) }
}

function marked(entries: NonNullable<DepositCall['deposit']>['entries']): DepositBox['entries'] {
  return entries.map(({ name, is_secret }) => ({ name, is_secret: is_secret ?? null }))
}

type DepositBinding = Pick<ApprovalRequest, 'pollChallenge' | 'suggestedBundle' | 'suggestedWorkspace'> & {
  publicKey: Uint8Array
}

/** The digest that the client put into the box. */
export function bindingOf(
  { kid, entries, detach, own, share, replace, also }: DepositBox,
  { publicKey, pollChallenge, suggestedBundle, suggestedWorkspace }: DepositBinding,
): string {
  return depositBinding({
    kid,
    publicKey,
    pollChallenge: pollChallenge ?? '',
    bundle: suggestedBundle ?? '',
    workspace: suggestedWorkspace,
    entries: boundEntries(entries),
    also: also.map((other) => ({ bundle: other.bundle, entries: boundEntries(other.entries) })),
    detach,
    own,
    share,
    replace,
  })
}

function boundEntries(entries: DepositBox['entries']) {
  return entries.map(({ name, is_secret }) => ({ name, isSecret: is_secret }))
}
