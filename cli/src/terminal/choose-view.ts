import type { Parts, ViewName } from '../ground/parts.ts'
import type { WaitingView } from './waiting-view.ts'

/** The view with this name; for a person, the one that fits stderr. */
export async function waitingView(name: ViewName, parts: Parts): Promise<WaitingView> {
  if (name === 'json') return (await import('./json-view.ts')).jsonView(parts)
  if (name === 'quiet') return (await import('./plain-view.ts')).quietView(parts)
  if (parts.stderr.isTerminal) return (await import('./live-view.ts')).liveView(parts)
  return (await import('./plain-view.ts')).plainView(parts)
}
