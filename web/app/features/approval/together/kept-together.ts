import type { Tried } from '../request-state.ts'

export type Kept = Omit<Tried, 'secret'>

const nameOf = (requestId: string) => `keyferry:together:${requestId}`

/** Keep in this tab what was approved beside a request: the return to the client leaves the page. No secret is kept. */
export function keepTogether(requestId: string, tried: readonly Tried[]): void {
  const rows = tried.map(({ requestId: id, command, bundle, problem }) => [id, command, bundle, problem])
  if (rows.length > 0) sessionStorage.setItem(nameOf(requestId), JSON.stringify(rows))
}

/** What this tab tried to approve beside a request. */
export function keptTogether(requestId: string): readonly Kept[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(requestId)) ?? '[]')
  if (!Array.isArray(kept)) return []
  return kept.filter(Array.isArray).map(([id, command, bundle, problem]: unknown[]) => ({
    requestId: String(id),
    command: String(command),
    bundle: String(bundle),
    problem: typeof problem === 'string' ? problem : null,
  }))
}
