import type { RequestBundle, RequestContext } from '../../lib/calls/answers.ts'
import { joined } from '../../lib/words/counted.ts'
import { timeOfDay } from '../../lib/words/time.ts'
import { WORDS } from './kind-words.ts'
import { kindOf } from './request-state.ts'
import type { LoopbackPlace } from './way-back.ts'

/** How an approval returns to the terminal. `none`: it need not. `later`: the command stopped, so it is for the next
 * run. `refused`: the page cannot approve, and why. */
export type ReturnPlan =
  | { by: 'loopback'; wayBack: LoopbackPlace }
  | { by: 'code' }
  | { by: 'none' }
  | { by: 'later' }
  | { by: 'refused'; code: NonNullable<RequestBundle['why_not']>['code']; reason: string }

/** What the rules of a choice demand, of every kind of request. */
export type Demands = Omit<RequestBundle, 'id' | 'name' | 'description' | 'items'>

type ReturnGrounds = {
  context: RequestContext
  /** What its rules demand; null until it has loaded. */
  bundle: Demands | null
  wayBack: LoopbackPlace | null
  /** The server serves one person, and only their own computer reaches it. */
  isOwnServer: boolean
}

/** What to do where an approval cannot return. A terminal that stores values takes a code only if it opens no
 * browser. */
export function startAgain({ kind, assurance, release }: RequestContext): string {
  const canUseCode = kind === 'deposit' && assurance !== 'local' && release?.includes('code') === false
  return canUseCode
    ? 'Start the command again: in the browser that it opens, or with --no-open to get a code.'
    : 'Start the command again on this computer, without --no-open.'
}

/** Choose the way back: over loopback where the client itself opened this page, else by a code. A server that only its
 * own computer reaches asks for a code only where a rule demands it. */
export function planReturn({ context, bundle, wayBack, isOwnServer }: ReturnGrounds): ReturnPlan {
  const whyNot = bundle?.why_not ?? null
  const who = joined(whyNot?.who ?? [], 'or')
  const link = who === '' ? '' : ` Send the link of this page to ${who}.`
  if (whyNot !== null && !asksOthers(bundle))
    return { by: 'refused', code: whyNot.code, reason: `${whyNot.error}.${link}` }
  if (context.left_at !== undefined) return planNextRun(context.left_at, bundle)
  if (bundle?.first_approval?.returned === true || bundle?.vouch?.counts === true) return { by: 'none' }
  const ways = bundle?.release ?? context.release ?? []
  if (wayBack !== null && ways.includes('loopback')) return { by: 'loopback', wayBack }
  const mustReturn = bundle?.release_required === true || asksOthers(bundle)
  if (ways.includes('code') && (mustReturn || !isOwnServer)) return { by: 'code' }
  if (!mustReturn) return { by: 'none' }
  return {
    by: 'refused',
    code: 'release_required',
    reason: `${WORDS[kindOf(context)].onlyHere} ${startAgain(context)}`,
  }
}

function planNextRun(leftAt: string, bundle: Demands | null): ReturnPlan {
  if (bundle === null || bundle.may_be_later === true) return { by: 'later' }
  const reason = `The command stopped at ${timeOfDay(leftAt)}, and the rules do not allow an approval of its next run.`
  return { by: 'refused', code: 'release_required', reason }
}

/** Whether the person can only ask others to approve. That returns to the terminal as an approval does. */
export function asksOthers(rules: Pick<Demands, 'may_vouch'> | null): boolean {
  return rules?.may_vouch === true
}

/** Whether the approver signs the approval with a key. */
export function isSigned(rules: Pick<Demands, 'touch' | 'may_vouch'> | null): boolean {
  return rules?.touch !== undefined && rules.touch !== 'none' && !asksOthers(rules)
}

/** What the person does after approving; null: nothing. */
export function nextStepOf({ by }: ReturnPlan, isSecond: boolean): string | null {
  if (by !== 'code') return null
  return isSecond
    ? 'Then you get a code for the terminal of the person who ran the command.'
    : 'Then you type a code into your terminal.'
}

/** Whether no approval can return to the client that asked, so that a click alone would deliver. */
export function isUnbound({ context, isOwnServer }: Pick<ReturnGrounds, 'context' | 'isOwnServer'>): boolean {
  return (context.release ?? []).length === 0 && !isOwnServer
}

/** Whether the approver types the check code. */
export function asksForTypedCode(plan: ReturnPlan, grounds: ReturnGrounds): boolean {
  if (plan.by !== 'none' || grounds.bundle?.vouch?.counts === true) return false
  return isUnbound(grounds)
}
