import { CHOICE_KINDS, type Choice, type Tried } from './request-state.ts'

// This tab keeps what it approved: the return to the client leaves the page, and a reload loads it again.
const choiceName = (requestId: string) => `keyferry:approved:${requestId}`
const companionsName = (requestId: string) => `keyferry:together:${requestId}`

function keep(name: string, list: readonly unknown[]): void {
  sessionStorage.setItem(name, JSON.stringify(list))
}

function kept(name: string): readonly unknown[] {
  const list: unknown = JSON.parse(sessionStorage.getItem(name) ?? '[]')
  return Array.isArray(list) ? list : []
}

export function keepChoice(requestId: string, choice: Choice): void {
  const { kind, isSecond, workspaceId, bundle, keys } = choice
  keep(choiceName(requestId), [kind, isSecond, workspaceId, bundle.id, bundle.name, ...keys])
}

/** What this tab approved of a request; null: nothing. */
export function keptChoice(requestId: string): Choice | null {
  const [word, second, workspaceId, id, name, ...keys] = kept(choiceName(requestId)).map(String)
  const kind = CHOICE_KINDS.find((known) => known === word)
  if (kind === undefined || workspaceId === undefined || id === undefined || name === undefined) return null
  return { kind, isSecond: second === 'true', workspaceId, bundle: { id, name }, keys }
}

/** An approval beside another. No secret is kept. */
export type KeptCompanion = Omit<Tried, 'secret'>

export function keepCompanions(requestId: string, tried: readonly Tried[]): void {
  const rows = tried.map(({ requestId: id, command, bundle, problem }) => [id, command, bundle, problem])
  if (rows.length > 0) keep(companionsName(requestId), rows)
}

/** What this tab tried to approve beside a request. */
export function keptCompanions(requestId: string): readonly KeptCompanion[] {
  return kept(companionsName(requestId))
    .filter((row) => Array.isArray(row))
    .map(([id, command, bundle, problem]: unknown[]) => ({
      requestId: String(id),
      command: String(command),
      bundle: String(bundle),
      problem: typeof problem === 'string' ? problem : null,
    }))
}
