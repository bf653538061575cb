import {
  type ASKS_AGAIN,
  type Grant as GrantSchema,
  LIMITS,
  type ListGrantsQuery,
  type ReleaseWay,
  RequestUse,
  TIMES,
} from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { z } from 'zod'
import { addressBlock } from '../base/address-block.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type ListPage, type WholePage, wholePage } from '../base/listing.ts'
import type { Origin } from '../base/origin.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { DeliveryLabel, NewDelivery } from '../deliveries/delivery.ts'
import type { ValueOriginStore } from '../library/bundle-entry.ts'
import type { Caller, Visitor } from '../people/membership.ts'
import type { ApprovedDelivery } from '../requests/approved.ts'
import { type DeviceParts, requireForgetting } from '../requests/device.ts'
import type { GrantDraft } from '../requests/grant-draft.ts'
import { type ApprovalRequest, agentOf } from '../requests/stored-request.ts'
import type { ProductionFacts } from './policy.ts'
import { labelOf } from './request-delivery.ts'

/*
 * A remembered approval, a grant: a person lets one terminal repeat an approval for some hours. It is valid for one key
 * of the terminal, one bundle, the same names, the same command in the same folder, and a number of uses. It keeps no
 * value: each use seals the current ones (see grant-use.ts).
 *
 * Two kinds are valid only in the network of their request: one for the next run of a command that stopped (see
 * later-approval.ts), and a task, for any command of `run` and `mcp` in its folder (see task.ts).
 *
 * It ends when its time is over, when it is used up, when its person or an owner revokes it, when the terminal forgets
 * it, and when its person leaves, gets another role, or the rules of its bundle change. It ends with what the person's
 * credentials gave: when the password changes, all sessions end, ways to sign in are linked or unlinked, or the account
 * is disabled.
 */

export type GrantEnd = Extract<
  (typeof ASKS_AGAIN)[number],
  'revoked' | 'forgotten' | 'person_removed' | 'role_changed' | 'policy_changed' | 'signed_out'
>

/** The flags of a command, as the terminal signed them. Plain JSON. Of a grant, `repository` is there only if it is
 * valid in all working trees. `network`: of the approved request.
 * `once`: the command had stopped, so the approval did not return, and counts for its next run. `task`: it is valid for
 * any command. `versions`: it returned by a code, so it delivers only these, by the ids of the keys. */
export const SignedUse = RequestUse.extend({
  network: z.string().optional(),
  once: z.literal(true).optional(),
  task: z.object({ versions: z.record(z.string(), z.number()).optional() }).optional(),
})
export type SignedUse = z.infer<typeof SignedUse>

type GrantTerms = Omit<GrantDraft, 'hours' | 'isForRepository' | 'isOnce' | 'task'> & {
  hours: number
  deviceKey: string
  argv: readonly string[]
  argvMasked: string | null
  cwd: string
  agent: string | null
  /** Null: of a terminal that signed no flags. */
  use: SignedUse | null
  /** Names that the request asked for, sorted. */
  asked: readonly string[]
}

export type NewGrant = GrantTerms & {
  id: string
  bundle: { id: string; name: string }
  label: DeliveryLabel
  uses: number
  expiresAt: string
  /** Who approved, and when. */
  stamp: Stamp
}

/** A grant as a use finds it. `ended`: why it is no longer valid; null: it is valid. */
export type KnownGrant = Omit<GrantTerms, 'epoch'> & {
  id: string
  tenant: { id: string; name: string }
  userId: string
  bundle: ProductionFacts & { id: string }
  expiresAt: string
  uses: number
  ended: GrantEnd | null
}

export type Grant = z.output<typeof GrantSchema>

/** What transactions do with grants. */
export interface GrantRecords {
  /** Keeps it, unless what its person's credentials gave has ended. Lock the person before. */
  insert(tenantId: string, grant: NewGrant): Promise<void>
  /** Counts a use and records its delivery, together.
   * @returns false: the grant has ended, so nothing may be delivered */
  use(tenantId: string, grantId: string, delivery: NewDelivery): Promise<boolean>
}

export interface GrantStore {
  /** Grants of a terminal that ended lately or not at all, of all tenants, the newest first. */
  ofDevice(deviceKey: string): Promise<KnownGrant[]>
  /** The newest first. */
  list(tenantId: string, filter: GrantFilter, page: WholePage): Promise<ListPage<Grant>>
  /** False when there is none that has not ended, or it is of another person than `userId`. */
  revoke(tenantId: string, grant: { id: string; userId: string | null; stamp: Stamp }): Promise<boolean>
  /** Ends what a person let terminals repeat, in all tenants.
   * @returns how many */
  endOfPerson(userId: string, stamp: Stamp): Promise<number>
  /** @returns how many */
  endOfDevice(deviceKey: string, end: { at: string; origin: Origin }): Promise<number>
  /** Forgets grants whose time was over before this one. */
  forgetBefore(time: string): Promise<void>
}

/** Those that are valid now; with `knownSince`, those that make their terminal known and were made after it, also if
 * their time is over. `userId`: of this person only. */
export type GrantFilter = { userId: string | null; now: string; knownSince: string | null }

export type GrantParts = { stores: { grants: GrantStore }; clock: ClockAndIds }

type ToRemember = Pick<ApprovedDelivery, 'remember' | 'bundle' | 'approverId'> & {
  tenant: { id: string }
  /** How the approval returned; null: it need not. */
  by: ReleaseWay | null
}

/** Keep what an approver lets the terminal repeat, if anything. */
export async function remember(
  { own, clock }: { own: { grants: GrantRecords }; clock: ClockAndIds },
  request: ApprovalRequest,
  { remember: draft, bundle, tenant, approverId, by }: ToRemember,
): Promise<void> {
  const { deviceKey, argv, argvMasked, cwd, templateKeys } = request
  if (draft === null || deviceKey === null || argv === null || cwd === null) return
  const { isForRepository, isOnce, task, ...terms } = draft
  const { use, requesterMeta } = request
  const kept = use && {
    ...use,
    ...(isForRepository ? {} : { repository: undefined }),
    network: addressBlock(requesterMeta.ip),
    ...(isOnce ? { once: true as const } : {}),
    ...(task ? { task: by === 'code' ? { versions: task.versions } : {} } : {}),
  }
  // A task has no command of its own.
  const of = task ? { argv: [], argvMasked: null } : { argv, argvMasked }
  const command = { ...of, cwd, agent: agentOf(request), use: kept }
  await own.grants.insert(tenant.id, {
    ...terms,
    ...command,
    asked: templateKeys.toSorted(),
    id: clock.newId(),
    deviceKey,
    bundle,
    label: labelOf(requesterMeta),
    uses: isOnce ? LIMITS.grantUses - 1 : 0,
    expiresAt: task?.until ?? timestamp(clock, isOnce ? TIMES.laterSeconds : draft.hours * 60 * 60),
    stamp: stampOf({ tenantId: tenant.id, userId: approverId, origin: null }, clock),
  })
}

/** Whether it makes its terminal known: it came back over loopback. */
export function makesKnown(use: SignedUse | null): boolean {
  return use !== null && !use.once && use.task?.versions === undefined
}

/** How long it counts, in seconds. */
export function lengthSeconds({ hours, use }: Pick<GrantTerms, 'hours' | 'use'>): number {
  return use?.task ? TIMES.taskSeconds : use?.once ? TIMES.laterSeconds : hours * 60 * 60
}

/** What the caller lets terminals repeat; for an owner, what anyone in the workspace does. A task has the names whose
 * values changed since its approval. With `known`, what makes the caller's own terminals known, where the
 * server sees their networks. */
export async function listGrants(
  {
    stores,
    clock,
    seesNetworks,
  }: GrantParts & {
    stores: { valueOrigins: ValueOriginStore }
    seesNetworks: boolean
  },
  { tenantId, userId, role }: Caller,
  { known, ...page }: z.output<typeof ListGrantsQuery>,
): Promise<ListPage<Grant>> {
  if (known !== undefined && !seesNetworks) return { total: 0, rows: [] }
  const own = role !== 'owner' || known !== undefined
  const knownSince = known === undefined ? null : timestamp(clock, -TIMES.knownTerminalSeconds)
  const filter = { userId: own ? userId : null, now: timestamp(clock), knownSince }
  const { rows, total } = await stores.grants.list(tenantId, filter, wholePage(page))
  const withChanges = rows.map(async (grant) => {
    if (!grant.task) return grant
    const origins = await stores.valueOrigins.of(tenantId, grant.bundle.id)
    const changed = grant.keys.flatMap((name) => {
      const { changed_at = '', changed_by: by = null } = origins.get(name) ?? {}
      return changed_at > grant.created_at ? [{ name, by }] : []
    })
    return { ...grant, changed }
  })
  return { total, rows: await Promise.all(withChanges) }
}

/** @throws DomainError not_found: there is none that is valid, or a member revokes another person's */
export async function revokeGrant({ stores, clock }: GrantParts, caller: Caller, id: string): Promise<void> {
  const userId = caller.role === 'owner' ? null : caller.userId
  const isRevoked = await stores.grants.revoke(caller.tenantId, { id, userId, stamp: stampOf(caller, clock) })
  if (!isRevoked) throw new DomainError('not_found', 'Remembered approval not found')
}

/** End what the caller lets terminals repeat, in all workspaces.
 * @returns how many */
export function revokeOwnGrants({ stores, clock }: GrantParts, caller: Visitor): Promise<number> {
  return stores.grants.endOfPerson(caller.userId, stampOf(caller, clock))
}

/** End what a terminal may repeat, by its own wish.
 * @returns how many
 * @throws DomainError invalid */
export async function forgetDevice(
  parts: GrantParts & DeviceParts,
  device: Parameters<typeof requireForgetting>[1],
  origin: Origin,
): Promise<number> {
  await requireForgetting(parts, device)
  return parts.stores.grants.endOfDevice(device.public_key, { at: timestamp(parts.clock), origin })
}

export async function forgetOldGrants({ stores, clock }: GrantParts): Promise<void> {
  await stores.grants.forgetBefore(timestamp(clock, -TIMES.knownTerminalSeconds))
}

export function namesDigest(names: readonly string[]): string {
  return hashToken(names.toSorted().join('\n'))
}

export function usesLeft({ uses }: { uses: number }): number {
  return Math.max(0, LIMITS.grantUses - uses)
}
