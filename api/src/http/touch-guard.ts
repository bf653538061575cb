import { digestOf } from '@keyferry/crypto/digest'
import { z } from 'zod'
import {
  type Effects,
  NOTHING,
  requireFew,
  type TouchedIds,
  type Watched,
  type WatchStore,
} from '../domain/approvals/effects.ts'
import { DomainError } from '../domain/base/errors.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { approvalKeyOf, concernsOf, needsTouchToRemove } from '../domain/people/approval-key-changes.ts'
import { LASTS, requireLasting } from '../domain/people/lasting-act.ts'
import type { Caller } from '../domain/people/membership.ts'
import { reaches } from '../domain/people/reach.ts'
import { changed, requireTouch, type TouchedAct, type TouchParts } from '../domain/people/touch.ts'
import type { CallSubject, TouchFactStore, TouchFacts } from '../domain/people/touch-facts.ts'
import { aboutOf, bodyOf, type Sent, setsTouch } from './touch-demand.ts'

const KeyParams = z.object({ key_id: z.string() })
const UserParams = z.object({ user_id: z.string() })

/** A call of a person, admitted and with a valid body. `given`: its header `Keyferry-Touch`. */
type TouchableCall = Sent & {
  caller: Caller
  sent: Pick<TouchedAct, 'method' | 'path' | 'body'>
  given: string | undefined
  /** When the caller signed in, in epoch seconds; null: unknown. */
  signedInSeconds: number | null
}

/** Runs the work of a call that was signed, or that needs no signature.
 * @throws DomainError sign_in_again · touch_required · touch_refused · changed · conflict · too_many · not_found */
export type TouchGuard = <T>(call: TouchableCall, work: () => Promise<T>) => Promise<T>

export type GuardParts = TouchParts & {
  touchFacts: TouchFactStore & WatchStore
  /** 0: nobody has to. */
  signInAgainSeconds: number
}

/** One place for all rows, after the caller was admitted and the body was checked, around the handler. */
export function touchGuard(parts: GuardParts): TouchGuard {
  return async (call, work) => {
    const { caller, lasts } = call
    const stamp = stampOf(caller, parts.clock)
    if (call.by === 'approval_key') {
      const same = await signKey(parts, call)
      return await parts.touchFacts.run({ stamp, same }, work)
    }
    const about = withinReach(aboutOf(call), caller)
    const facts = about && (await parts.touchFacts.find(caller.tenantId, about))
    if (about === null || facts === null || !(await isSigned(parts, call, facts))) {
      // Where a workspace has rules, one of them can reach the call before it commits.
      const isUnruled = facts?.touch === 'none' && facts.role !== undefined
      const same = about && isUnruled ? { about, facts, isSigned: false } : null
      return await recentlySignedIn(parts, { call, watched: { stamp, same } }, work)
    }
    const signed = { stamp, same: { about, facts, isSigned: true } }
    if (call.given === undefined) await parts.takeTouch(caller.userId)
    // A signature is checked after the work that it is about, so it can be any.
    else if (lasts === 'effect') await parts.takeTouch(`${caller.userId} signed`)
    const touched = lasts === 'effect' ? await parts.touchFacts.touched(signed, work) : null
    const seen = touched ? await foreseen(parts, { ...signed, touched }, work) : NO_EFFECTS
    const ends = await sign(parts, call, { facts, seen })
    if (lasts !== 'effect') return await parts.touchFacts.run({ ...signed, ends }, work)
    // A call that failed at first, and not now, was not foreseen.
    const judge = (effects: Effects) => {
      if (touched === null || gainsOf(effects) !== gainsOf(seen)) throw changed()
    }
    const judged = { touched: touched ?? NOTHING, judge }
    return await parts.touchFacts.run({ ...signed, ends, judged }, work)
  }
}

/** A stolen session is not enough for what an owner loosens. Where such an act is signed, the signature is more. */
async function recentlySignedIn<T>(
  { signInAgainSeconds, clock, touchFacts }: GuardParts,
  { call, watched }: { call: TouchableCall; watched: Watched },
  work: () => Promise<T>,
): Promise<T> {
  const { caller, signedInSeconds, lasts, body } = call
  const unjudged = () => (watched.same ? touchFacts.run(watched, work) : work())
  const oldest = clock.now().getTime() / 1_000 - signInAgainSeconds
  const isRecent = signedInSeconds !== null && signedInSeconds >= oldest
  if (signInAgainSeconds === 0 || caller.role !== 'owner' || isRecent) return await unjudged()
  if (lasts === 'invitation' || LASTS[lasts](bodyOf(body))) throw signInAgain()
  if (lasts !== 'effect') return await unjudged()
  const touched = await touchFacts.touched(watched, work)
  const judge = ({ gains, leaving }: Effects) => {
    if (touched === null || gains.length + leaving.length > 0) throw signInAgain()
  }
  return await touchFacts.run({ ...watched, judged: { touched: touched ?? NOTHING, judge } }, work)
}

function signInAgain(): DomainError {
  return new DomainError('sign_in_again', 'your sign-in was too long ago for this change: sign in again')
}

// What is signed names neither bundles nor keys that a limited member does not reach, and their import takes none.
function withinReach(about: CallSubject | null, { reach, userId: signerId }: Caller): CallSubject | null {
  if (about === null || reach === null) return about && { ...about, signerId }
  const bundleNames = about.bundleNames?.filter((name) => reaches(reach, name)) ?? []
  return { ...about, signerId, bundleNames, taken: [] }
}

async function isSigned(parts: GuardParts, call: TouchableCall, facts: TouchFacts): Promise<boolean> {
  if (facts.touch === 'none') return setsTouch(call)
  return call.by !== 'member' || (await takesSigner(parts, call, facts))
}

/** Whether a removal takes an owner, or a person with a signing key, from a workspace. People leave by themselves. */
async function takesSigner(
  { approvalKeys, clock }: GuardParts,
  { caller: { tenantId, userId: own }, params }: TouchableCall,
  { concerns }: TouchFacts,
): Promise<boolean> {
  const { user_id: userId } = UserParams.parse(params)
  if (userId === own) return false
  const keys = await approvalKeys.list({ tenantId, userId }, clock.now().toISOString())
  return keys.length > 0 || concerns['people']?.some(({ role }) => role === 'owner') === true
}

/** What a call would give for good. It is undone, and a call that fails gives nothing.
 * @throws DomainError conflict: too much */
async function foreseen(
  { touchFacts }: GuardParts,
  { touched, ...signed }: Watched & { touched: TouchedIds },
  work: () => Promise<unknown>,
): Promise<Effects> {
  let seen = NO_EFFECTS
  const judge = (effects: Effects) => {
    seen = effects
    throw new Error('undone: it is not signed yet')
  }
  await touchFacts.run({ ...signed, judged: { touched, judge, isUndone: true } }, work).catch(() => {})
  requireFew(seen)
  return seen
}

const NO_EFFECTS: Effects = { gains: [], gainers: [], leaving: [] }

const gainsOf = ({ gains, gainers }: Effects) => JSON.stringify([gains, gainers])

/** @returns the waiting acts that this one ends */
async function sign(
  parts: GuardParts,
  { act, sent, caller, given, lasts, body }: TouchableCall,
  { facts, seen }: { facts: TouchFacts; seen: Effects },
): Promise<readonly string[]> {
  const { gains, gainers } = seen
  // A limited member does not learn who else is here.
  const shown = caller.reach === null ? { gains, gainers } : { gains: ['others get more'] }
  const concerns = gains.length === 0 ? facts.concerns : { ...facts.concerns, ...shown }
  const isDevice = facts.touch === 'device'
  await requireTouch(parts, caller, { act: { act, ...sent, concerns }, given, isDevice })
  if (gains.length === 0 && !LASTS[lasts](bodyOf(body))) return []
  const call = [act, sent.method, sent.path, Buffer.from(sent.body).toString('base64')]
  const signed = { callHash: digestOf(JSON.stringify(call)), concerns: JSON.stringify(concerns) }
  const signer = { ...caller, role: facts.role ?? 'member' }
  return await requireLasting(parts, signer, { act, ...signed })
}

/** @returns what has to be the same when the call is carried out */
async function signKey(
  parts: GuardParts,
  { act, params, caller, sent, given }: TouchableCall,
): Promise<Watched['same']> {
  const key = await approvalKeyOf(parts, caller, KeyParams.parse(params).key_id)
  if (act === 'removeApprovalKey' && !needsTouchToRemove(key, parts)) return null
  // The strictest rule of the workspace decides, because a key signs under each of them.
  const about = { isWide: true, isOfKeys: true, signerId: caller.userId }
  const facts = await parts.touchFacts.find(caller.tenantId, about)
  if (facts.role !== caller.role) throw changed()
  const isDevice = facts.touch === 'device'
  if (given === undefined) await parts.takeTouch(caller.userId)
  await requireTouch(parts, caller, { act: { act, ...sent, concerns: concernsOf(key) }, given, isDevice })
  return { about, facts, isSigned: true }
}
