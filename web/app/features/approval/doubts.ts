import type { RequestBundle, RequestContext } from '../../lib/answers.ts'
import { isNamed } from './place.ts'
import type { ReturnPlan } from './return-plan.ts'
import { firstKeys, splitByAsking } from './selection.ts'

/** What makes a request or a choice strange. */
export type Doubts = {
  /** Why the page cannot approve; null if it can. */
  refused: string | null
  /** The terminal asked from another network than the person's. */
  otherNetwork: boolean
  /** The two addresses are of different kinds, so they cannot be compared. */
  unknownNetwork: boolean
  /** A link on a web page led to this page. */
  openedByLink: boolean
  /** The chosen bundle is not the one that the terminal names. */
  otherBundle: boolean
  /** The chosen workspace is not the one that the terminal names. */
  otherWorkspace: boolean
  /** Selected, although the terminal did not ask for them. */
  unasked: readonly string[]
  /** Required by the bundle and asked for, but deselected. */
  leftOut: readonly string[]
}

type Decision = {
  plan: ReturnPlan
  context: RequestContext
  openedByLink: boolean
  workspace: { id: string; name: string } | null
  bundle: RequestBundle | null
  selected: ReadonlySet<string>
}

export function doubtsOf({ context, openedByLink, workspace, bundle, selected, plan }: Decision): Doubts {
  const { suggested_bundle_id, workspace: namedWorkspace, template_keys, same_network } = context
  return {
    refused: plan.by === 'refused' ? plan.reason : null,
    otherNetwork: same_network === false,
    unknownNetwork: same_network === null,
    openedByLink,
    otherBundle: bundle !== null && suggested_bundle_id !== null && !isNamed(bundle, suggested_bundle_id),
    otherWorkspace: workspace !== null && namedWorkspace !== null && !isNamed(workspace, namedWorkspace),
    ...(bundle === null ? { unasked: [], leftOut: [] } : keyDoubts(bundle, template_keys, selected)),
  }
}

/** Whether approving needs a second confirmation. */
export function needsConfirmation(doubts: Doubts): boolean {
  return doubts.openedByLink || doubts.otherBundle || doubts.unasked.length > 0 || doubts.leftOut.length > 0
}

function keyDoubts({ items }: RequestBundle, templateKeys: readonly string[], selected: ReadonlySet<string>) {
  const first = firstKeys(items, templateKeys).selected
  const { others } = splitByAsking(items, templateKeys)
  return {
    unasked: others.map(({ key }) => key).filter((name) => selected.has(name)),
    leftOut: items
      .filter(({ key, required }) => required && first.has(key) && !selected.has(key))
      .map(({ key }) => key),
  }
}
