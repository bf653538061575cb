import { useEffect, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { describeFailure } from '../../../lib/failure.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { type Fate, fateOf, fateOfFailure } from './fate.ts'
import { type Kept, keptTogether } from './kept-together.ts'

const LOOK_EVERY_MS = 1_000

const IS_OPEN: ReadonlySet<Fate> = new Set(['underway', 'not_approved', 'not_returned'])

/** What became of each approval beside this request, watched until each has ended. */
export function useFates(requestId: string): readonly { kept: Kept; fate: Fate }[] {
  const [kept] = useState(() => keptTogether(requestId))
  const [fates, setFates] = useState<ReadonlyMap<string, Fate>>(new Map())
  const open = kept.filter(({ requestId: id }) => IS_OPEN.has(fates.get(id) ?? 'underway'))
  const openIds = open.map(({ requestId: id }) => id).join(' ')
  useEffect(() => {
    if (openIds === '') return undefined
    const look = () => {
      for (const id of openIds.split(' '))
        void fateNow(id).then((fate) => fate && setFates((before) => new Map(before).set(id, fate)))
    }
    look()
    const timer = setInterval(look, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [openIds])
  return kept.map((each) => ({ kept: each, fate: fates.get(each.requestId) ?? 'underway' }))
}

// A server that does not answer says nothing.
async function fateNow(requestId: string): Promise<Fate | null> {
  try {
    const params = { request_id: requestId }
    return fateOf(await call('GET', '/api/v1/requests/{request_id}/context', { params }), serverNowMs())
  } catch (error) {
    return fateOfFailure(describeFailure(error))
  }
}
