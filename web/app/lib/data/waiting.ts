import { useSyncExternalStore } from 'react'
import type { WaitingItem } from '../calls/answers.ts'
import { isPassing } from '../calls/failure.ts'
import { serverNowMs } from '../calls/server-clock.ts'
import { useAnswer } from '../calls/use-call.ts'
import { pageWorkspace } from '../calls/workspace.ts'
import { createListeners, keepText, keptText } from '../page/kept.ts'
import { useMe } from './me.ts'

const REFETCH_MS = 15_000
const HOUR_MS = 3_600_000

/** What waits for this person, without that of muted people. In local mode nobody else can ask. */
export function useWaiting() {
  const isShared = useMe().data?.auth_mode !== 'local'
  const query = useAnswer(
    'listWaiting',
    {},
    {
      enabled: isShared,
      // It does not keep the session alive: see Sessions.find.
      refetchInterval: ({ state: { error } }) => (error === null || isPassing(error) ? REFETCH_MS : false),
    },
  )
  const muted = useMuted()
  const items = query.data?.filter(({ person }) => !isMuted(muted, person.id))
  return {
    query,
    items,
    isShared,
    muted: (query.data ?? []).filter(({ person }) => isMuted(muted, person.id)),
  }
}

/** The same name for the same thing that waits. */
export function waitingId(item: WaitingItem): string {
  return item.kind === 'proposal' ? item.proposal.id : item.request_id
}

const isMuted = (muted: Readonly<Record<string, number>>, id: string) => (muted[id] ?? 0) > serverNowMs()

const stored = () => `keyferry.muted.${pageWorkspace()}`
const listeners = createListeners()

/** Keep what a person asks for out of view for an hour, in this browser; `isOn: false`: no more. */
export function mute(personId: string, isOn = true): void {
  const until = { ...parsed(read()), [personId]: isOn ? serverNowMs() + HOUR_MS : 0 }
  const current = Object.entries(until).filter(([, untilMs]) => untilMs > serverNowMs())
  keepText(stored(), JSON.stringify(Object.fromEntries(current)))
  listeners.notify()
}

function useMuted(): Readonly<Record<string, number>> {
  return parsed(useSyncExternalStore(listeners.subscribe, read))
}

const read = (): string => keptText(stored()) ?? '{}'

function parsed(text: string): Record<string, number> {
  return JSON.parse(text) as Record<string, number>
}
