import { z } from 'zod'
import { DomainError } from '../domain/base/errors.ts'
import { approvalKeyOf, needsTouchToRemove } from '../domain/people/approval-key-changes.ts'
import { type LastingActStore, requireLasting } from '../domain/people/lasting-act.ts'
import type { Caller } from '../domain/people/membership.ts'
import { reaches } from '../domain/people/reach.ts'
import { requireTouch, type TouchedAct, type TouchParts } from '../domain/people/touch.ts'
import type { CallSubject, TouchFactStore, TouchFacts } from '../domain/people/touch-facts.ts'
import { aboutOf, lasts, loosens, type Sent, setsTouch } from './touch-demand.ts'

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
  touchFacts: TouchFactStore
  lastingActs: LastingActStore
  /** 0: nobody has to. */
  signInAgainSeconds: number
}

/** One place for all rows, after the caller was admitted and the body was checked, around the handler. */
export function touchGuard(parts: GuardParts): TouchGuard {
  return async (call, work) => {
    if (call.touch === 'approval_key') {
      await signKey(parts, call)
      return await work()
    }
    const about = withinReach(aboutOf(call), call.caller)
    const facts = about && (await parts.touchFacts.find(call.caller.tenantId, about))
    if (about === null || facts === null || !(await isSigned(parts, call, facts))) {
      requireRecentSignIn(parts, call)
      return await work()
    }
    await sign(parts, call, facts)
    return await parts.touchFacts.whileSame(call.caller.tenantId, { about, facts }, work)
  }
}

/** A stolen session is not enough for what an owner loosens. Where such an act is signed, the signature is more. */
function requireRecentSignIn(
  { signInAgainSeconds, clock }: GuardParts,
  { caller, signedInSeconds, ...sent }: TouchableCall,
): void {
  if (signInAgainSeconds === 0 || caller.role !== 'owner' || !loosens(sent)) return
  const oldest = clock.now().getTime() / 1_000 - signInAgainSeconds
  if (signedInSeconds === null || signedInSeconds < oldest)
    throw new DomainError('sign_in_again', 'your sign-in was too long ago for this change: sign in again')
}

// What is signed names neither bundles nor keys that a limited member does not reach, and their import takes none.
function withinReach(about: CallSubject | null, { reach }: Caller): CallSubject | null {
  if (about === null || reach === null) return about
  const bundleNames = about.bundleNames?.filter((name) => reaches(reach, name)) ?? []
  return { ...about, bundleNames, taken: [] }
}

async function isSigned(parts: GuardParts, call: TouchableCall, facts: TouchFacts): Promise<boolean> {
  if (facts.touch === 'none') return setsTouch(call)
  return call.touch !== 'member' || (await takesSigner(parts, call, facts))
}

/** Whether a removal takes an owner, or a person with an approval key, from a workspace. People leave by themselves. */
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

async function sign(parts: GuardParts, call: TouchableCall, facts: TouchFacts): Promise<void> {
  const { act, sent, caller, given } = call
  await requireTouch(parts, caller, {
    act: { act, ...sent, concerns: facts.concerns },
    given,
    isDevice: facts.touch === 'device',
  })
  if (lasts(call)) await requireLasting(parts, caller, { act, ...sent, facts })
}

async function signKey(parts: GuardParts, { act, params, caller, sent, given }: TouchableCall) {
  const key = await approvalKeyOf(parts, caller, KeyParams.parse(params).key_id)
  if (act === 'removeApprovalKey' && !needsTouchToRemove(key, parts)) return
  const { id, userId: person, username: name, credentialId, publicKey, isSynced: synced } = key
  const keyFacts = { credential_id: credentialId, public_key: Buffer.from(publicKey).toString('base64') }
  const concerns = { approval_key: { id, person, name, ...keyFacts, synced } }
  await requireTouch(parts, caller, { act: { act, ...sent, concerns }, given })
}
