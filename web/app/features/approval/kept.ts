import { pagePerson } from '../../lib/calls/person.ts'
import type { BundlePlaceIds } from './place/place.ts'
import { CHOICE_KINDS, type Choice } from './request-state.ts'

// This tab keeps what it approved: the return to the client leaves the page, and a reload loads it again.
const choiceName = (requestId: string) => `keyferry:approved:${requestId}`
// What is chosen and not approved yet belongs to the person of the page.
const placeName = (requestId: string) => `keyferry:place:${requestId}:${pagePerson()}`
const selectedName = (requestId: string) => `keyferry:selected:${requestId}:${pagePerson()}`

function keep(name: string, list: readonly unknown[]): void {
  sessionStorage.setItem(name, JSON.stringify(list))
}

function kept(name: string): readonly unknown[] {
  const list: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]')
  return Array.isArray(list) ? list : []
}

export function keepChoice(requestId: string, choice: Choice): void {
  const { kind, isSecond, mayBeLater, untilMs, workspaceId, bundle, keys } = choice
  const facts = [kind, isSecond, mayBeLater, untilMs, workspaceId, bundle.id, bundle.name]
  keep(choiceName(requestId), [...facts, ...keys])
}

/** What this tab approved of a request; null: nothing. */
export function keptChoice(requestId: string): Choice | null {
  const [word, second, later, until, workspaceId, id, name, ...keys] = kept(choiceName(requestId)).map(String)
  const kind = CHOICE_KINDS.find((known) => known === word)
  if (kind === undefined || workspaceId === undefined || id === undefined || name === undefined) return null
  const facts = { isSecond: second === 'true', mayBeLater: later === 'true', untilMs: Number(until) }
  return { kind, ...facts, workspaceId, bundle: { id, name }, keys }
}

export function keepPlace(requestId: string, { workspaceId, bundleId }: BundlePlaceIds): void {
  keep(placeName(requestId), [workspaceId, bundleId])
}

/** The place that the person chose for a request in this tab; null: none. */
export function keptPlace(requestId: string): BundlePlaceIds | null {
  const [workspaceId, bundleId] = kept(placeName(requestId))
  if (typeof workspaceId !== 'string') return null
  return { workspaceId, bundleId: typeof bundleId === 'string' ? bundleId : null }
}

/** Keys that a person selected in a bundle, by name. */
export type Selected = { bundleId: string; names: ReadonlySet<string> }

export function keepSelected(requestId: string, { bundleId, names }: Selected): void {
  keep(selectedName(requestId), [bundleId, ...names])
}

/** What the person selected for a request in this tab; null: nothing. */
export function keptSelected(requestId: string): Selected | null {
  const [bundleId, ...names] = kept(selectedName(requestId)).map(String)
  return bundleId === undefined ? null : { bundleId, names: new Set(names) }
}
