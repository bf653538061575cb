import { isIdText } from '@keyferry/contract/id-text'
import type { Candidate, RequestBundleEntry, RequestContext, Tenant } from '../../../lib/calls/answers.ts'

type PlaceSuggestion = Pick<RequestContext, 'suggested_bundle_id' | 'workspace' | 'kind'>

/** Where the bundle comes from; null: not chosen yet. */
export type BundlePlaceIds = { workspaceId: string | null; bundleId: string | null }

/** A bundle or a workspace. */
export type PlaceName = { id: string; name: string }

/** Whether a text names this by its id or its name. */
const isNamed = ({ id, name }: PlaceName, text: string): boolean => text === id || text === name

/** Whether what is chosen is not what the terminal names. Nothing is chosen or named: no. */
export const isOther = (chosen: PlaceName | null, asked: string | null): boolean =>
  chosen !== null && asked !== null && !isNamed(chosen, asked)

/** The place to show first. A bundle that the terminal names and one workspace has is chosen; where several have it,
 * the person has to choose. Without a bundle it is the workspace that the terminal names, or the current one. For a new
 * bundle, a person of several workspaces chooses, unless the terminal names one of them. */
export function firstPlace(
  asked: PlaceSuggestion,
  candidates: readonly Candidate[],
  workspaces: readonly Tenant[],
): BundlePlaceIds {
  const [candidate, ...others] = candidates
  if (candidate !== undefined && others.length === 0)
    return { workspaceId: candidate.workspace.id, bundleId: candidate.bundle.id }
  if (candidate !== undefined) return { workspaceId: null, bundleId: null }
  const named = workspaces.filter(
    (workspace) => asked.workspace !== null && isNamed(workspace, asked.workspace),
  )
  const asksWhere = asked.kind === 'deposit' && named.length === 0 && workspaces.length > 1
  if (named.length > 1 || asksWhere) return { workspaceId: null, bundleId: null }
  const workspace = named[0] ?? workspaces.find(({ current }) => current) ?? workspaces[0]
  return { workspaceId: workspace?.id ?? null, bundleId: null }
}

/** The bundle to show when a person has chosen this workspace: the one that the terminal names, if it is there. */
export function bundleIn(workspaceId: string, candidates: readonly Candidate[]): string | null {
  const [found, ...others] = candidates.filter(({ workspace }) => workspace.id === workspaceId)
  return found === undefined || others.length > 0 ? null : found.bundle.id
}

/** The only bundle of a workspace, for a terminal that names none. */
export function onlyBundle(bundles: readonly RequestBundleEntry[], asked: PlaceSuggestion): string | null {
  return asked.suggested_bundle_id === null && bundles.length === 1 ? (bundles[0]?.id ?? null) : null
}

/** The workspaces to choose from. Where the terminal names one by its id, its client takes no other. */
export function offeredWorkspaces<T extends PlaceName>(
  request: RequestContext,
  workspaces: readonly T[],
): readonly T[] {
  const { workspace: asked, kind } = request
  const takesOthers = kind === undefined && takesAnyBundle({ ...request, suggested_bundle_id: '' })
  if (asked === null || !isIdText(asked) || takesOthers) return workspaces
  return workspaces.filter(({ id }) => id === asked.toLowerCase())
}

/** Whether the client takes another bundle than the one that it names. The keyferry client does so only with
 * `--any-bundle`; for a list of names, it says which bundle was chosen. */
export function takesAnyBundle({ kind, suggested_bundle_id: asked, ...sent }: RequestContext): boolean {
  if (kind === 'names' || asked === null) return true
  const isOurs = sent.requester_meta.user_agent.startsWith('keyferry/')
  return !isOurs || (sent.flags ?? []).some((flag) => flag.startsWith('--any-bundle'))
}

/** What makes a call work in this workspace. */
export function inWorkspace(workspaceId: string) {
  return { headers: { 'keyferry-workspace': workspaceId } }
}
