import type { Choice } from './request-state.ts'

const nameOf = (requestId: string) => `keyferry:approved:${requestId}`

/** Keep in this tab what was approved: the return to the client leaves the page, and a reload loads it again. */
export function keepChoice(requestId: string, { workspaceId, bundle, keys, isDeposit }: Choice): void {
  const { id, name } = bundle
  const kind = isDeposit === true ? 'deposit' : 'delivery'
  sessionStorage.setItem(nameOf(requestId), JSON.stringify([kind, workspaceId, id, name, ...keys]))
}

/** What this tab approved of a request; null: nothing. */
export function keptChoice(requestId: string): Choice | null {
  const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(requestId)) ?? '[]')
  if (!Array.isArray(kept)) return null
  const [kind, workspaceId, id, name, ...keys] = kept.map(String)
  if (workspaceId === undefined || id === undefined || name === undefined) return null
  return { workspaceId, bundle: { id, name }, keys, isDeposit: kind === 'deposit' }
}
