import { verifyNewApprovalKey } from '@keyferry/crypto/passkey'
import { randomToken } from '@keyferry/crypto/token'
import { touchChallenge } from '@keyferry/crypto/touch'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import { type ApprovalKey, fingerprintOf, PENDING } from './approval-key.ts'
import { requireLasting } from './lasting-act.ts'
import type { Caller, NamedCaller } from './membership.ts'
import { requireAddress, spendNonce, type TouchParts } from './touch.ts'

/** Two groups of four letters. */
const READ_LENGTH = 'XXXX-XXXX'.length

// What people do to signing keys. Whether a call needs a touch, the pipeline asks before it gets here.

/** The own keys; for an owner, those of everyone. */
export async function listApprovalKeys(
  { approvalKeys, clock }: TouchParts,
  caller: Caller,
): Promise<ApprovalKey[]> {
  const { tenantId, userId } = caller
  return approvalKeys.list(caller.role === 'owner' ? { tenantId } : { tenantId, userId }, timestamp(clock))
}

/** What the browser makes a key with. Each key has its own user handle: with that of the account, the browser would
 * replace the passkey that signs in.
 * @throws DomainError conflict: signing keys do not work here */
export async function prepareApprovalKey(parts: TouchParts, caller: Caller) {
  const { rpId } = requireAddress(parts)
  const { tenantId, userId } = caller
  const keys = await parts.approvalKeys.list({ tenantId, userId }, timestamp(parts.clock))
  const statement = enrolmentOf(caller)
  const { token, nonce } = parts.tokens.create(() => statement)
  return {
    token,
    challenge: Buffer.from(touchChallenge({ nonce, statement })).toString('base64url'),
    rp_id: rpId,
    user_handle: randomToken(),
    exclude: keys.map(({ credentialId }) => credentialId),
  }
}

type Made = {
  token: string
  name: string
  passkey: Parameters<typeof verifyNewApprovalKey>[0]
  transports: readonly string[]
}

/** Add the key that a browser has made. It is pending.
 * @throws DomainError invalid (the response is not to be trusted) · conflict */
export async function addApprovalKey(
  parts: TouchParts,
  caller: NamedCaller,
  { token, name, passkey, transports }: Made,
): Promise<ApprovalKey> {
  const { origin, rpId } = requireAddress(parts)
  const { clock } = parts
  const statement = enrolmentOf(caller)
  const nonce = await spendNonce(parts, token, () => statement)
  const challenge = Buffer.from(touchChallenge({ nonce, statement })).toString('base64url')
  const verified = await verifyNewApprovalKey(passkey, { challenge, origin, rpId }).catch(
    (cause: unknown) => {
      throw new DomainError('invalid', 'the signing key could not be verified', { cause })
    },
  )
  const { tenantId, userId } = caller
  const place = { tenantId, id: clock.newId(), userId, rpId, createdAt: timestamp(clock) }
  const key = { ...verified, ...place, name, transports }
  await parts.approvalKeys.insert(key, stampOf(caller, clock))
  return { ...key, ...PENDING, username: caller.username, lastUsedAt: null }
}

/** A key that the caller may confirm or remove.
 * @throws DomainError not_found */
export async function approvalKeyOf(parts: TouchParts, caller: Caller, id: string): Promise<ApprovalKey> {
  const keys = await listApprovalKeys(parts, caller)
  const key = keys.find((each) => each.id === id)
  if (!key) throw new DomainError('not_found', 'signing key not found')
  return key
}

/** Confirm a key, by a touch of the caller that was checked before.
 * @param read the first letters of the fingerprint, as the person who made the key read them out
 * @throws DomainError not_found · invalid (other letters) · conflict (it signs already, or waits) · changed */
export async function confirmApprovalKey(
  parts: TouchParts,
  caller: Caller,
  { id, fingerprint: read }: { id: string; fingerprint: string },
): Promise<ApprovalKey> {
  const key = await approvalKeyOf(parts, caller, id)
  if (normalizeUserCode(read) !== fingerprintOf(key).slice(0, READ_LENGTH))
    throw new DomainError('invalid', 'these are not the first eight letters of this key', {
      details: { field: 'fingerprint' },
    })
  if (key.state === 'active') throw new DomainError('conflict', 'this key counts already')
  const signed = { callHash: key.id, concerns: JSON.stringify(concernsOf(key)) }
  const waits = await requireLasting(parts, caller, { act: 'confirmApprovalKey', ...signed })
  if (!(await parts.approvalKeys.confirm(key, waits, stampOf(caller, parts.clock))))
    throw new DomainError('changed', 'another person changed this key: look at it again')
  return { ...key, state: 'active', confirmedBy: caller.userId }
}

/** What people sign about a key. */
export function concernsOf({ id, userId: person, username: name, isSynced: synced, ...key }: ApprovalKey) {
  const publicKey = Buffer.from(key.publicKey).toString('base64')
  return {
    approval_key: { id, person, name, credential_id: key.credentialId, public_key: publicKey, synced },
  }
}

/** Whether a removal takes something from the person. A key that does not count yet, or not any more, goes without a
 * touch. */
export function needsTouchToRemove({ state, rpId }: ApprovalKey, { address }: TouchParts): boolean {
  return state === 'active' && rpId === address?.rpId
}

/** @throws DomainError not_found */
export async function removeApprovalKey(parts: TouchParts, caller: Caller, id: string): Promise<void> {
  const key = await approvalKeyOf(parts, caller, id)
  if (!(await parts.approvalKeys.remove(key, stampOf(caller, parts.clock))))
    throw new DomainError('not_found', 'signing key not found')
}

function enrolmentOf({ tenantId, userId }: Caller): Buffer {
  return Buffer.from(JSON.stringify({ v: 1, act: 'addApprovalKey', tenant: tenantId, person: userId }))
}
