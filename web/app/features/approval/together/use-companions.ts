import { useEffect, useState } from 'react'
import { describeFailure } from '../../../lib/calls/failure.ts'
import { shownArgument } from '../../../lib/words/shown-argument.ts'
import { call } from '../calls.ts'
import { keepChoice } from '../kept.ts'
import type { Manner } from '../offer.ts'
import { inWorkspace } from '../place/place.ts'
import type { Tried } from '../request-state.ts'
import { type Companion, isSelectedFirst, keysOf, placeOf, type ReturnWay, whyOwnPage } from './companion.ts'

/** Loads the rows that show them, which come with them. */
type LoadRows = () => Promise<object>

const LOOK_EVERY_MS = 3_000

/** `first`: those that were there when the page opened; null: it has not looked yet. */
type CompanionsState = { companions: readonly Companion[]; first: ReadonlySet<string> | null }

const NOTHING: CompanionsState = { companions: [], first: null }

/** The requests that were started together with this one (null: with none), and which of them the person selected.
 * Those that come after the page opened are not selected, so that nothing changes what a press on Approve means. */
export function useCompanions(requestId: string | null, way: ReturnWay, loadRows: LoadRows) {
  const { companions, first } = useFound(requestId, loadRows)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const isSelected = (companion: Companion) =>
    whyOwnPage(companion, way) === null &&
    (toggled.get(companion.requestId) ??
      (first?.has(companion.requestId) === true && isSelectedFirst(companion, way)))
  const selected = companions.filter(isSelected)
  return {
    companions,
    selected,
    /** The first search has not ended. */
    isLooking: requestId !== null && first === null,
    isSelected,
    toggle: (id: string, on: boolean) => setToggled((before) => new Map(before).set(id, on)),
  }
}

function useFound(requestId: string | null, loadRows: LoadRows): CompanionsState {
  const [found, setFound] = useState<CompanionsState>(NOTHING)
  useEffect(() => {
    if (requestId === null) return undefined
    let known: readonly Companion[] | null = []
    const look = async () => {
      const companions = known && (await findCompanions(requestId, known, loadRows))
      if (known === null) return
      known = companions ?? known
      const listed = known
      const ids = new Set(listed.map((companion) => companion.requestId))
      setFound(({ first }) => ({ companions: listed, first: first ?? ids }))
    }
    void look()
    const timer = setInterval(() => void look(), LOOK_EVERY_MS)
    return () => {
      known = null
      clearInterval(timer)
    }
  }, [requestId, loadRows])
  return found
}

// A list that cannot be read leaves each command to its own page.
async function findCompanions(
  requestId: string,
  known: readonly Companion[],
  loadRows: LoadRows,
): Promise<Companion[] | null> {
  try {
    const listed = await call('listCompanions', { request_id: requestId })
    if (listed.length > 0) await loadRows()
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

/** Approve each in its own call, one after another. One that fails does not stop the others. */
export async function approveCompanions(
  companions: readonly Companion[],
  manner: Manner,
): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const companion of companions) tried.push(await approveOne(companion, manner))
  return tried
}

async function approveOne(companion: Companion, manner: Manner): Promise<Tried> {
  const { requestId, context, workspaceId, bundle, keys } = companion
  const about = { requestId, command: (context.argv ?? []).map(shownArgument).join(' ') }
  if (bundle === null || workspaceId === null)
    return { ...about, bundle: '', secret: null, problem: 'Its bundle is not chosen.' }
  try {
    const choice = { request_id: requestId, bundle_id: bundle.id, include_keys: [...keys] }
    const fields = fieldsOf(manner, bundle.remember_hours ?? 0)
    const answer = await call('encryptFromBundle', { ...choice, ...fields }, inWorkspace(workspaceId))
    keepChoice(requestId, { kind: 'delivery', isSecond: false, workspaceId, bundle, keys })
    const secret = answer.release?.by === 'loopback' ? answer.release.secret : null
    return { ...about, bundle: bundle.name, secret, problem: null }
  } catch (error) {
    return { ...about, bundle: bundle.name, secret: null, problem: describeFailure(error).message }
  }
}

// Its own bundle may allow fewer hours; then its terminal asks each time.
function fieldsOf({ release, remember_hours: hours = 0 }: Manner, most: number) {
  return {
    ...(release === 'loopback' ? { release } : {}),
    ...(hours === 0 || hours > most ? {} : { remember_hours: hours }),
  }
}
