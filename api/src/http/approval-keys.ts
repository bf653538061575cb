import { TIMES } from '@keyferry/contract'
import { type ApprovalKey, counts, fingerprintOf } from '../domain/people/approval-key.ts'
import {
  addApprovalKey,
  confirmApprovalKey,
  listApprovalKeys,
  prepareApprovalKey,
  removeApprovalKey,
} from '../domain/people/approval-key-changes.ts'
import type { Caller } from '../domain/people/membership.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function approvalKeyHandlers({ touchParts: parts }: Pick<HandlerParts, 'touchParts'>) {
  const shown = (key: ApprovalKey, caller: Caller) => shownKey(key, { caller, rpId: parts.address?.rpId })
  return {
    async listApprovalKeys({ caller }) {
      const keys = await listApprovalKeys(parts, caller)
      const address = parts.address && { origin: parts.address.origin, rp_id: parts.address.rpId }
      return { address, keys: keys.map((key) => shown(key, caller)) }
    },
    prepareApprovalKey: ({ caller }) => prepareApprovalKey(parts, caller),
    addApprovalKey: async ({ caller, body }) => shown(await addApprovalKey(parts, caller, body), caller),
    confirmApprovalKey: async ({ caller, params, body }) =>
      shown(await confirmApprovalKey(parts, caller, { id: params.key_id, ...body }), caller),
    removeApprovalKey: ({ caller, params }) => removeApprovalKey(parts, caller, params.key_id),
  } satisfies Partial<Handlers>

  // The letters of another person's key that does not count yet come from that person, not from the page.
  function shownKey(key: ApprovalKey, { caller, rpId }: { caller: Caller; rpId: string | undefined }) {
    const now = parts.clock.now().toISOString()
    const isActive = counts(key, now)
    const endsAtMs = Date.parse(key.createdAt) + TIMES.approvalKeySeconds * 1_000
    return {
      id: key.id,
      user_id: key.userId,
      username: key.username,
      name: key.name,
      synced: key.isSynced,
      aaguid: key.aaguid,
      state: isActive ? ('active' as const) : key.state,
      ends_at: key.state === 'pending' ? new Date(endsAtMs).toISOString() : null,
      counts_from: isActive ? null : key.countsFrom,
      confirmed_by: key.confirmedBy,
      fingerprint: isActive || key.userId === caller.userId ? fingerprintOf(key) : null,
      works_here: key.rpId === rpId,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
    }
  }
}
