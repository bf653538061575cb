import { TIMES } from '@keyferry/contract'
import { z } from 'zod'
import { timestamp } from '../domain/base/clock-and-ids.ts'
import { DomainError } from '../domain/base/errors.ts'
import { stampOf } from '../domain/base/stamp.ts'
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

const Fact = z.union([z.string(), z.looseObject({ name: z.string().optional() })])
const Concerns = z.record(z.string(), z.array(Fact))

/** The names of what a signed act is about, and what it gives. */
function namesIn(concerns: string): string[] {
  return Object.values(Concerns.parse(JSON.parse(concerns))).flatMap((facts) =>
    facts.flatMap((fact) => (typeof fact === 'string' ? fact : (fact.name ?? []))),
  )
}

export function approvalKeyHandlers({
  touchParts: parts,
  stores,
}: Pick<HandlerParts, 'touchParts' | 'stores'>) {
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
    async listLastingActs({ caller }) {
      const acts = await stores.lastingActs.list(caller.tenantId, timestamp(parts.clock))
      return acts.map(({ id, act, userId, username, concerns, createdAt, countsFrom }) => ({
        id,
        act,
        person: { kind: 'user' as const, id: userId, name: username },
        about: namesIn(concerns),
        created_at: createdAt,
        counts_from: countsFrom,
      }))
    },
    async endLastingAct({ caller, params }) {
      if (!(await stores.lastingActs.end(params.act_id, stampOf(caller, parts.clock))))
        throw new DomainError('not_found', 'no such act waits')
    },
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
