import { type Signed, TIMES } from '@keyferry/contract'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from './membership.ts'

/*
 * An act that lasts gives access later too: a grant, a token, an owner. One stolen touch must not buy it. So the first
 * signature only announces it. It happens when another owner signs the same call, or when the same person signs it
 * again a day later. Until then any owner stops it without a signature.
 */

/** `callHash`: of exactly this call; to confirm a signing key, its id. `concerns`: the signed facts, as JSON. */
export type LastingAct = {
  id: string
  userId: string
  username: string
  act: string
  callHash: string
  concerns: string
  createdAt: string
  countsFrom: string
}

export interface LastingActStore {
  /** Those of people who are members still, the oldest first. With `callHash`: of one call. */
  list(tenantId: string, now: string, callHash?: string): Promise<LastingAct[]>
  announce(act: Omit<LastingAct, 'username'>, stamp: Stamp): Promise<void>
  /** False: it is gone already. */
  end(id: string, stamp: Stamp): Promise<boolean>
  /** Forget those that nobody carried out for a week. */
  forget(now: string): Promise<void>
}

type SentFields = Partial<
  Record<'role' | 'replaces' | 'is_active' | 'audit', string | boolean | undefined>
> & {
  groups?: readonly string[] | undefined
}

/** Whether a call gives access for good, by what it sends. For `effect`, see effects.ts. */
export const LASTS: Readonly<Record<Signed['lasts'], (sent: SentFields) => boolean>> = {
  never: () => false,
  always: () => true,
  effect: () => false,
  role: ({ role }) => role === 'owner',
  // The person who takes over a membership gets its role, and a group can be one that approves.
  invitation: ({ role, replaces, groups = [] }) =>
    role === 'owner' || replaces !== undefined || groups.length > 0,
  program: ({ is_active, audit }) => is_active === true || audit === true,
  audit: ({ audit }) => audit === true,
}

type LastingParts = { lastingActs: LastingActStore; clock: ClockAndIds }

/** Refuse an act that lasts until it may happen.
 * @returns ids of the acts that waited. The act's transaction ends them, and must find the first one
 * @throws DomainError conflict: it waits · changed: what was signed first has changed */
export async function requireLasting(
  { lastingActs, clock }: LastingParts,
  caller: Caller,
  signed: Pick<LastingAct, 'act' | 'callHash' | 'concerns'>,
): Promise<string[]> {
  const { callHash, concerns } = signed
  const now = timestamp(clock)
  const announced = await lastingActs.list(caller.tenantId, now, callHash)
  const own = announced.find(({ userId }) => userId === caller.userId)
  const isOwner = caller.role === 'owner'
  const ready = announced.find((each) => (each === own ? each.countsFrom <= now : isOwner))
  if (ready === undefined) {
    const countsFrom = own?.countsFrom ?? timestamp(clock, TIMES.lastingActSeconds)
    const fresh = { ...signed, id: clock.newId(), userId: caller.userId, createdAt: now, countsFrom }
    if (own === undefined) await lastingActs.announce(fresh, stampOf(caller, clock))
    throw waits(countsFrom)
  }
  const ids = [...new Set([ready, ...announced].map(({ id }) => id))]
  if (ready.concerns === concerns) return ids
  for (const id of ids) await lastingActs.end(id, stampOf(caller, clock))
  throw waitIsOver()
}

export function waitIsOver(): DomainError {
  return new DomainError('changed', 'what was signed first has changed: sign again, and wait again')
}

function waits(countsFrom: string): DomainError {
  return new DomainError(
    'conflict',
    `signed: it waits until another owner signs the same, or until you sign it again after ${countsFrom}; an owner can stop it on the page Members`,
    { details: { counts_from: countsFrom } },
  )
}
