import { type EndpointName, endpoints } from '@keyferry/contract'
import type { Verdict } from '../faults/verdict.ts'
import { READ_BY_MEMBERS, ROWS, type Sent, sentBy } from './rows.ts'
import { type Figures, startWatchedApi } from './watched-api.ts'
import { fillWorld, type World } from './world.ts'

const MOST_BLOCKED_MS = 300
const MOST_GROWTH_MIB = 64
const MIB = 1024 * 1024

/** `statuses`, `answerMiB`: of all calls that were sent at once. */
export type Measured = Figures & {
  readonly name: EndpointName
  readonly by: string
  readonly calls: number
  readonly statuses: readonly number[]
  readonly answerMiB: number
}

/** Send the calls of each row of the table to a server whose bounds are full.
 * @param only names of rows; without it, all */
export async function* measureRows(
  databaseUrl: string | null,
  only?: readonly string[],
): AsyncGenerator<Measured> {
  const api = await startWatchedApi(databaseUrl)
  try {
    const world = await fillWorld(api)
    for (const by of ['member', 'limited'] as const)
      for (const name of READ_BY_MEMBERS) {
        const row = ROWS[name]
        if (typeof row === 'string' || only?.includes(name) === false) continue
        const calls = sentBy(world[by], await row(world))
        yield {
          ...(await measure(world, name, calls)),
          by: ` by a ${by === 'member' ? '' : 'limited '}member`,
        }
      }
    for (const [name, row] of Object.entries(ROWS)) {
      if (typeof row === 'string' || !isEndpoint(name) || only?.includes(name) === false) continue
      yield await measure(world, name, await row(world))
    }
  } finally {
    await api.dispose()
  }
}

/** Whether the calls left room for others: no block and no growth beyond the limits, and no answer of failure. */
export function verdictOn(database: string, measured: Measured): Verdict {
  const { name, by, calls, statuses, processorMs, blockedMs, growthMiB, answerMiB } = measured
  const isAnswered = statuses.every((status) => status < 400)
  return {
    what: `${name}${calls > 1 ? ` × ${calls}` : ''}${by} with full bounds, ${database}`,
    seen: `${[...new Set(statuses)].join(', ')}; ${Math.round(processorMs)} ms of processor time, ${Math.round(blockedMs)} ms in one piece, memory grew by ${Math.round(growthMiB)} MiB for ${answerMiB.toFixed(1)} MiB of answers`,
    isWell: isAnswered && blockedMs <= MOST_BLOCKED_MS && growthMiB <= MOST_GROWTH_MIB + answerMiB,
  }
}

async function measure({ api }: World, name: EndpointName, calls: readonly Sent[]): Promise<Measured> {
  await api.begin()
  const answers = await Promise.all(calls.map((call) => answered(api.address, call)))
  const figures = await api.figures()
  const answerMiB = answers.reduce((sum, { bytes }) => sum + bytes, 0) / MIB
  return {
    ...figures,
    name,
    by: '',
    calls: calls.length,
    statuses: answers.map(({ status }) => status),
    answerMiB,
  }
}

// The answer is counted and thrown away: four of them can be longer than this process may keep.
async function answered(
  address: string,
  { path, ...call }: Sent,
): Promise<{ status: number; bytes: number }> {
  const response = await fetch(`${address}${path}`, call)
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.length
  return { status: response.status, bytes }
}

function isEndpoint(name: string): name is EndpointName {
  return name in endpoints
}
