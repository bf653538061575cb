import type { Candidate, RequestBundle, RequestContext } from '../../../lib/calls/answers.ts'
import { firstKeys } from '../kinds/selection.ts'
import { firstPlace } from '../place/place.ts'
import { dangerNames, type Reasons } from '../request/reason-facts.tsx'
import { riskOf } from '../request/reasons.tsx'
import type { ReturnPlan } from '../return-plan.ts'

/** A request of the same start, with the bundle and the keys that its own page would select first. */
export type Companion = {
  requestId: string
  context: RequestContext
  workspaceId: string | null
  bundle: RequestBundle | null
  keys: readonly string[]
}

/** How the page's own request returns. */
export type ReturnWay = ReturnPlan['by']

/** The bundle that the terminal means, if exactly one of the person's workspaces has it. */
export function placeOf(context: RequestContext, candidates: readonly Candidate[]) {
  if (context.suggested_bundle_id === null) return { workspaceId: null, bundleId: null }
  return firstPlace(context, candidates, [])
}

/** The keys that are approved: those that the terminal asks for, or all. */
export function keysOf({ items }: RequestBundle, { template_keys }: RequestContext): readonly string[] {
  const { selected } = firstKeys({ items, templateKeys: template_keys })
  return items.map(({ key }) => key).filter((name) => selected.has(name))
}

/** Why a request needs its own page; null: it can be approved beside another. Only a request without a
 * choice, a code or a confirmation fits beside another, and only one that returns in the same way. */
export function whyOwnPage({ context, bundle, keys }: Companion, way: ReturnWay): string | null {
  if (way !== 'loopback' && way !== 'none') return 'Approve it on its own page.'
  if ((context.requester_meta['agent'] ?? '') !== '') return 'An AI agent started it.'
  if (bundle === null) return 'You have to choose its bundle.'
  if (bundle.why_not) return `${bundle.why_not.error}.`
  if ((bundle.approvals_needed ?? 1) > 1) return 'Two people must approve it.'
  if (bundle.touch !== undefined && bundle.touch !== 'none') return 'You sign it with your approval key.'
  if (bundle.is_production === true) return 'Production is approved on its own page.'
  if (keys.length === 0) return 'The bundle has none of the requested keys.'
  const { missing } = firstKeys({ items: bundle.items, templateKeys: context.template_keys })
  if (missing.length > 0) return 'The bundle lacks requested keys.'
  return whyOtherWay(bundle, way)
}

function whyOtherWay({ release, release_required }: RequestBundle, way: ReturnWay): string | null {
  if (way === 'loopback') {
    return (release ?? []).includes('loopback') ? null : 'It cannot return over this computer.'
  }
  return release_required === true ? 'It must return to its terminal.' : null
}

/** Why a person should look twice at it. */
export function companionReasons({ bundle, context }: Companion): Reasons {
  const production = bundle?.is_production === true ? [bundle.name] : []
  return { production, dangers: { risk: riskOf(context), network: context.same_network === false && OTHER } }
}

const OTHER = 'It was requested from another network than yours.'

/** Whether it is selected when the page opens. The person selects dangerous ones. */
export function isSelectedFirst(companion: Companion, way: ReturnWay): boolean {
  const isDangerous = dangerNames(companionReasons(companion)).length > 0
  return whyOwnPage(companion, way) === null && companion.context.argv != null && !isDangerous
}
