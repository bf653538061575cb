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
  if ((await stores.depositKeys.find(kid)) === null) {
    const details = { field: 'deposit.kid' }
    throw new DomainError('invalid', 'the deposit key is not known: get the key again', { details })
  }
  const entries = deposit.entries.map(({ name, is_secret }) => ({ name, is_secret: is_secret ?? null }))
  const box: DepositBox = { kid, entries, detach, own, share, replace, ciphertextBase64 }
  const binding = bindingOf(box, {
    publicKey,
    pollChallenge: asked.poll_challenge ?? null,
    suggestedBundle: asked.bundle_id ?? null,
    suggestedWorkspace: asked.workspace ?? null,
  })
  const sealed = Buffer.from(ciphertextBase64, 'base64')
  return { box: JSON.stringify(box), userCode: depositUserCode(id, { publicKey, binding, box: sealed }) }
}

type DepositBinding = Pick<ApprovalRequest, 'pollChallenge' | 'suggestedBundle' | 'suggestedWorkspace'> & {
  publicKey: Uint8Array
}

/** The digest that the client put into the box. */
export function bindingOf(
  { kid, entries, detach, own, share, replace }: DepositBox,
  { publicKey, pollChallenge, suggestedBundle, suggestedWorkspace }: DepositBinding,
): string {
  return depositBinding({
    kid,
    publicKey,
    pollChallenge: pollChallenge ?? '',
    bundle: suggestedBundle ?? '',
    workspace: suggestedWorkspace,
    entries: entries.map(({ name, is_secret }) => ({ name, isSecret: is_secret })),
    detach,
    own,
    share,
    replace,
  })
}
