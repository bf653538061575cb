import { type Choice, REQUEST_KINDS } from './request-state.ts'

const nameOf = (requestId: string) => `keyferry:approved:${requestId}`

/** Keep in this tab what was approved: the return to the client leaves the page, and a reload loads it again. */
export function keepChoice(requestId: string, choice: Choice): void {
  const { kind, isSecond, workspaceId, bundle, keys } = choice
  const { id, name } = bundle
  sessionStorage.setItem(nameOf(requestId), JSON.stringify([kind, isSecond, workspaceId, id, name, ...keys]))
}

/** What this tab approved of a request; null: nothing. */
export function keptChoice(requestId: string): Choice | null {
  const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(requestId)) ?? '[]')
  if (!Array.isArray(kept)) return null
  const [word, second, workspaceId, id, name, ...keys] = kept.map(String)
  const kind = REQUEST_KINDS.find((known) => known === word)
  if (kind === undefined || workspaceId === undefined || id === undefined || name === undefined) return null
  return { kind, isSecond: second === 'true', workspaceId, bundle: { id, name }, keys }
}
