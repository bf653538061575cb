import { useEffect, useState } from 'react'
import { call } from '../calls.ts'
import { inWorkspace } from '../place/place.ts'
import { type Companion, isSelectedFirst, keysOf, placeOf, type Way, whyOwnPage } from './companion.ts'

const LOOK_EVERY_MS = 3_000

/** `first`: those that were there when the page opened; null: it has not looked yet. */
type Found = { companions: readonly Companion[]; first: ReadonlySet<string> | null }

const NOTHING: Found = { companions: [], first: null }

/** The requests that were started together with this one (null: with none), and which of them the person selected.
 * Those that come after the page opened are not selected, so that nothing changes what a press on Approve means. */
export function useCompanions(requestId: string | null, way: Way) {
  const { companions, first } = useFound(requestId)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const isSelected = (companion: Companion) =>
    whyOwnPage(companion, way) === null &&
    (toggled.get(companion.requestId) ??
      (first?.has(companion.requestId) === true && isSelectedFirst(companion, way)))
  return {
    companions,
    selected: companions.filter(isSelected),
    isSelected,
    toggle: (id: string, on: boolean) => setToggled((before) => new Map(before).set(id, on)),
  }
}

function useFound(requestId: string | null): Found {
  const [found, setFound] = useState<Found>(NOTHING)
  useEffect(() => {
    if (requestId === null) return undefined
    let known: readonly Companion[] | null = []
    const look = async () => {
      const companions = known && (await findCompanions(requestId, known))
      if (known === null || companions === null) return
      known = companions
      const ids = new Set(companions.map((companion) => companion.requestId))
      setFound(({ first }) => ({ companions, first: first ?? ids }))
    }
    void look()
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    return () => {
      known = null
      clearInterval(timer)
    }
  }, [requestId])
  return found
}

// A list that cannot be read leaves each command to its own page.
async function findCompanions(requestId: string, known: readonly Companion[]): Promise<Companion[] | null> {
  try {
    const listed = await call('listCompanions', { request_id: requestId })
    return await Promise.all(
      listed.map(async ({ request_id, context }) => {
        const before = known.find((companion) => companion.requestId === request_id)
        return before ?? (await resolve(request_id, context))
      }),
    )
  } catch {
    return null
  }
}

async function resolve(requestId: string, context: Companion['context']): Promise<Companion> {
  const candidates = await call('listCandidates', { request_id: requestId })
  const { workspaceId, bundleId } = placeOf(context, candidates)
  if (workspaceId === null || bundleId === null)
    return { requestId, context, workspaceId: null, bundle: null, keys: [] }
  const asked = { request_id: requestId, bundle_id: bundleId }
  const bundle = await call('getRequestBundle', asked, inWorkspace(workspaceId))
  return { requestId, context, workspaceId, bundle, keys: keysOf(bundle, context) }
}
