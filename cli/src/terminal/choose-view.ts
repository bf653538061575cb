import type { Surroundings } from '../surroundings.ts'
import type { WaitingView } from './waiting-view.ts'

export type ViewName = 'person' | 'json' | 'quiet'

/** The view of that name for this stderr. */
export async function waitingView(name: ViewName, surroundings: Surroundings): Promise<WaitingView> {
  if (name === 'json') return (await import('./json-view.ts')).jsonView(surroundings)
  if (name === 'quiet') return (await import('./plain-view.ts')).quietView(surroundings)
  if (surroundings.stderr.isTerminal) return (await import('./live-view.ts')).liveView(surroundings)
  return (await import('./plain-view.ts')).plainView(surroundings)
}
