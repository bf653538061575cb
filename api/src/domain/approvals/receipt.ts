import type { Receipt } from '@keyferry/contract'
import { boxDigest, commandDigest } from '@keyferry/crypto/receipt'
import type { z } from 'zod'
import type { NewDelivery } from '../deliveries/delivery.ts'
import type { Approved } from '../requests/approved.ts'
import type { ApprovalRequest, Hold, Support } from '../requests/stored-request.ts'

/*
 * A receipt says what left the server, for whom, and who approved it: the same facts as the event of the delivery. The
 * API signs it and the client checks it, so a layer between them cannot put other values into the box. It is signed
 * when the values are sealed, before the approval takes effect.
 */

/** Signs the bytes of receipts. `origin`: the name of this server. */
export type ReceiptSigner = {
  readonly origin: string
  sign(payload: Uint8Array): z.output<typeof Receipt>
}

export type ReceiptFacts = {
  request: ApprovalRequest
  ciphertextBase64: string
  delivery: NewDelivery
  /** Delivered names whose values are not secret. */
  publicNames: readonly string[]
  tenant: { id: string; name: string }
  approver: { id: string; username: string }
  first: Support | null
  vouch: Pick<Support, 'userId' | 'username'> | null
  hold: Pick<Hold, 'by'> | null
}

/** What every receipt says of its request.
 * @param digest of the sealed box, 64 hex digits */
export function requestFacts({ origin }: ReceiptSigner, request: ApprovalRequest, digest: string) {
  return {
    v: 1,
    origin,
    request_id: request.id,
    client_pubkey: request.publicKey,
    ciphertext_sha256: digest,
    argv_sha256: request.argv && commandDigest(request.argv),
  }
}

export function receiptOf(signer: ReceiptSigner, facts: ReceiptFacts): z.output<typeof Receipt> {
  const { request, delivery, tenant, approver, first, vouch, hold } = facts
  const approvers = first ? [{ id: first.userId, username: first.username }, approver] : [approver]
  const payload = {
    ...requestFacts(signer, request, boxDigest(Buffer.from(facts.ciphertextBase64, 'base64'))),
    delivery_id: delivery.id,
    bundle: delivery.bundle,
    workspace: tenant,
    keys: keysOf(delivery),
    parts: partsOf(delivery),
    public: facts.publicNames,
    approvers,
    vouched_by: vouch && { id: vouch.userId, username: vouch.username },
    approved_at: delivery.stamp.at,
    released_by: hold?.by ?? null,
    grant_id: delivery.grantId,
  }
  return signer.sign(Buffer.from(JSON.stringify(payload)))
}

/** A receipt with what its approvers signed. */
export function withTouches(
  receipt: z.output<typeof Receipt>,
  { touches = [] }: Pick<Approved, 'touches'>,
): z.output<typeof Receipt> {
  return touches.length === 0 ? receipt : { ...receipt, touches }
}

/** The same receipt, for an approval that returns by a code instead. */
export function returningByCode(
  signer: ReceiptSigner,
  { payload }: z.output<typeof Receipt>,
): z.output<typeof Receipt> {
  const facts: unknown = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
  const changed = typeof facts === 'object' && facts !== null ? { ...facts, released_by: 'code' } : {}
  return signer.sign(Buffer.from(JSON.stringify(changed)))
}

// A part of a composed value is not in the box under its own name.
function partsOf({ keys }: NewDelivery) {
  return keys.flatMap(({ id, version, isPart }) => (isPart === true ? [{ key_id: id, version }] : []))
}

// A legacy item and a typed value have neither an id nor versions.
function keysOf({ keys, unversioned, typed }: NewDelivery) {
  const versioned = keys.flatMap(({ id, name, version, isPart }) =>
    isPart === true ? [] : [{ name, key_id: id, version }],
  )
  return [...versioned, ...[...unversioned, ...typed].map((name) => ({ name, key_id: null, version: null }))]
}
