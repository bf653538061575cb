import { ATTEMPTS, type EncryptFromBundle } from '@keyferry/contract'
import { wipe } from '@keyferry/crypto/key-pair'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { seal } from '@keyferry/crypto/seal'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import { type ApprovalParts, findOpen } from './approval-context.ts'
import {
  alreadyApproved,
  findLive,
  publicKeyOf,
  requestEnded,
  requestNotFound,
  userCodeOf,
} from './approval-request.ts'
import type { ApprovalRequest, Sealed, Settled } from './approval-store.ts'
import { findBundle } from './bundle.ts'
import { bundleEntries, valueSizes } from './bundle-entry.ts'
import { DomainError } from './errors.ts'
import type { Caller } from './membership.ts'

type Choice = z.output<typeof EncryptFromBundle>

/** A tag and an ephemeral public key: what sealing adds. */
const SEAL_BYTES = 48

/** Approve: seal the chosen values to the client's key (interface: "Approve"). Of any number of calls one wins.
 * @throws DomainError not_found (request or bundle) · request_denied · request_withdrawn · conflict (approved already) ·
 *   invalid (a name that the bundle does not hold, a wrong or missing check code) · too_large */
export async function approve(
  parts: ApprovalParts,
  caller: Caller,
  { requestId, choice }: { requestId: string; choice: Choice },
): Promise<void> {
  const request = await findPending(parts, requestId)
  await requireUserCode(parts, request, choice.user_code)
  const bundle = await findBundle(parts.stores.bundles, caller, choice.bundle_id)
  const values = await chosenValues(
    parts,
    { tenantId: caller.tenantId, bundleId: bundle.id },
    choice.include_keys,
  )
  const sealedBox = sealValues(values, request, parts.maxPayloadBytes)
  const ciphertextBase64 = Buffer.from(sealedBox).toString('base64')
  await settle(parts, requestId, { ciphertextBase64, approverId: caller.userId })
}

/** Keep a ciphertext that was sealed elsewhere; for development.
 * @throws DomainError not_found · request_denied · request_withdrawn · conflict · too_large */
export async function storePayload(
  parts: ApprovalParts,
  requestId: string,
  ciphertextBase64: string,
): Promise<void> {
  if (Buffer.byteLength(ciphertextBase64, 'base64') > parts.maxPayloadBytes + SEAL_BYTES) {
    throw tooLarge(parts.maxPayloadBytes)
  }
  const request = await findPending(parts, requestId)
  await settle(parts, request.id, { ciphertextBase64, approverId: null })
}

/** Deny: whoever asks for the request afterwards learns that it was denied, until its lifetime would have ended.
 * @throws DomainError not_found · request_denied (already) · request_withdrawn · conflict (approved already) */
export async function deny({ approvals, source }: ApprovalParts, requestId: string): Promise<void> {
  const { request } = await findLive({ approvals, source }, requestId)
  requireDone(await approvals.deny(request.id, source.now().getTime()))
}

async function settle({ approvals, source }: ApprovalParts, id: string, sealed: Sealed): Promise<void> {
  requireDone(await approvals.seal(id, sealed, source.now().getTime()))
}

function requireDone(settled: Settled): void {
  if (settled === 'gone') throw requestNotFound()
  if (settled === 'denied' || settled === 'withdrawn') throw requestEnded(settled)
  if (settled === 'ready') throw alreadyApproved()
}

async function findPending(parts: ApprovalParts, requestId: string): Promise<ApprovalRequest> {
  const { request, status } = await findOpen(parts, requestId)
  if (status === 'ready') throw alreadyApproved()
  return request
}

// A code that is given is checked even where none is asked for: whoever types one means it to count.
async function requireUserCode(
  parts: ApprovalParts,
  request: ApprovalRequest,
  typed?: string,
): Promise<void> {
  if (typed === undefined || typed === '') {
    if (parts.assurance === 'compat') return
    throw new DomainError('invalid', 'user_code required', { details: { field: 'user_code' } })
  }
  if (normalizeUserCode(typed) === userCodeOf(request)) return
  const now = parts.source.now().getTime()
  const attemptsLeft = await parts.approvals.countWrongCode(request.id, ATTEMPTS.wrongUserCodes, now)
  const details = { field: 'user_code', attempts_left: attemptsLeft }
  throw new DomainError('invalid', 'user_code does not match', { details })
}

async function chosenValues(
  { stores }: ApprovalParts,
  bundle: { tenantId: string; bundleId: string },
  includeKeys: readonly string[],
): Promise<Map<string, Plaintext>> {
  const names = new Set(includeKeys)
  requireNames(names, await valueSizes(stores, bundle))
  const entries = await bundleEntries(stores, bundle, names)
  const values = new Map(entries.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
  requireNames(names, values)
  return values
}

function requireNames(names: ReadonlySet<string>, held: ReadonlyMap<string, unknown>): void {
  const missing = [...names].filter((name) => !held.has(name))
  if (missing.length === 0) return
  const details = { field: 'include_keys', keys: missing }
  throw new DomainError('invalid', 'include_keys names keys that are not in the bundle', { details })
}

function sealValues(values: Map<string, Plaintext>, request: ApprovalRequest, maxBytes: number): Uint8Array {
  const plaintext = jsonMap(values)
  try {
    if (plaintext.length > maxBytes) throw tooLarge(maxBytes)
    return seal(plaintext, publicKeyOf(request.publicKey))
  } finally {
    wipe(plaintext)
    for (const value of values.values()) wipe(value.bytes())
  }
}

// Written entry by entry, because an object would take `__proto__` for something else than a name.
function jsonMap(values: Map<string, Plaintext>): Uint8Array {
  const entries = [...values].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value.reveal())}`,
  )
  return Buffer.from(`{${entries.join(',')}}`)
}

function tooLarge(maxBytes: number): DomainError {
  return new DomainError('too_large', `approval payload exceeds ${maxBytes} bytes`)
}
