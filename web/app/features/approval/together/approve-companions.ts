import { describeFailure } from '../../../lib/calls/failure.ts'
import { shownArgument } from '../../../lib/words/shown-argument.ts'
import { call } from '../calls.ts'
import { keepChoice } from '../kept.ts'
import type { Manner } from '../offer.ts'
import { inWorkspace } from '../place/place.ts'
import type { Tried } from '../request-state.ts'
import type { Companion } from './companion.ts'

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
