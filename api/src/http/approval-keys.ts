import { TIMES } from '@keyferry/contract'
import { timestamp } from '../domain/base/clock-and-ids.ts'
import { DomainError } from '../domain/base/errors.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { type ApprovalKey, fingerprintOf } from '../domain/people/approval-key.ts'
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
    async listLastingActs({ caller }) {
      const acts = await parts.lastingActs.list(caller.tenantId, timestamp(parts.clock))
      return acts.map(({ id, act, userId, username, concerns, createdAt, countsFrom }) => ({
        id,
        act,
        person: { kind: 'user' as const, id: userId, name: username },
        concerns: JSON.parse(concerns),
        created_at: createdAt,
        counts_from: countsFrom,
      }))
    },
    async endLastingAct({ caller, params }) {
      if (!(await parts.lastingActs.end(params.act_id, stampOf(caller, parts.clock))))
        throw new DomainError('not_found', 'no such act waits')
    },
  } satisfies Partial<Handlers>

  // The letters of another person's key that does not count yet come from that person, not from the page.
  function shown(key: ApprovalKey, { userId }: Caller) {
    const isActive = key.state === 'active'
    const endsAtMs = Date.parse(key.createdAt) + TIMES.approvalKeySeconds * 1_000
    return {
      id: key.id,
      user_id: key.userId,
      username: key.username,
      name: key.name,
      synced: key.isSynced,
      aaguid: key.aaguid,
      state: key.state,
      ends_at: key.state === 'pending' ? new Date(endsAtMs).toISOString() : null,
      counts_from: isActive ? null : key.countsFrom,
      confirmed_by: key.confirmedBy,
      fingerprint: isActive || key.userId === userId ? fingerprintOf(key) : null,
      works_here: key.rpId === parts.address?.rpId,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
    }
  }
}
