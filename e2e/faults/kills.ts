import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditFaults } from './audited.ts'
import { Deployment, type DeploymentOptions } from './deployment.ts'
import { History } from './history.ts'
import {
  askAgain,
  beginWorkload,
  collectOwed,
  makeSharedBundle,
  type SharedBundle,
  storedKeys,
} from './workload.ts'

export type KillsResult = {
  readonly kills: number
  readonly acknowledgedWrites: number
  readonly deliveries: number
  /** From each start after a kill until all was healthy. */
  readonly restartsMs: readonly number[]
  /** What was lost, doubled or wrong, in words. */
  readonly faults: readonly string[]
}

const SHORTEST_LIFE_MS = 30
const LONGEST_LIFE_MS = 400
const UNTIL_NEXT_POLL_MS = 3_000
const LAST_DELIVERIES = 500
const LOAD = { writers: 4, askers: 4 }

/** Kill a part of a deployment under load at a random moment, start it again, and compare what is stored with the
 * history. Repeats this `kills` times; the parts take turns. */
export async function killUnderLoad(options: DeploymentOptions, kills: number): Promise<KillsResult> {
  await using deployment = await Deployment.start(options)
  const { address } = deployment
  const run = { deployment, bundle: await makeSharedBundle(address), history: new History() }
  const rounds: Round[] = []
  for (let count = 0; count < kills; count++) rounds.push(await killOnce(run, count))
  const faults = [...rounds.flatMap((round) => round.faults), ...(await finalFaults(run))]
  const { writes, deliveries } = run.history.counts
  const restartsMs = rounds.map((round) => round.restartMs)
  return { kills, acknowledgedWrites: writes, deliveries, restartsMs, faults: [...new Set(faults)] }
}

type Run = { deployment: Deployment; bundle: SharedBundle; history: History }
type Round = { restartMs: number; faults: readonly string[] }

async function killOnce({ deployment, bundle, history }: Run, count: number): Promise<Round> {
  const { address, parts } = deployment
  const part = parts[count % parts.length] ?? 'all'
  const prefix = `ROUND_${count}_`
  const before = history.deliveries.length
  const endWorkload = beginWorkload({ address, history, bundle, prefix, ...LOAD })
  await sleep(randomInt(SHORTEST_LIFE_MS, LONGEST_LIFE_MS))
  await deployment.kill(part)
  const restartMs = await deployment.restart(part)
  await endWorkload()
  const uncollected = await collectOwed(history)
  await askAgain(history.deliveries.slice(before))
  const lost = history.faults(await storedKeys(address, prefix), prefix)
  return { restartMs, faults: [...uncollected, ...lost] }
}

// Everything once more, when every request may be polled again.
async function finalFaults({ deployment: { address }, history }: Run): Promise<string[]> {
  await sleep(UNTIL_NEXT_POLL_MS)
  await askAgain(history.deliveries.slice(-LAST_DELIVERIES))
  return [...history.faults(await storedKeys(address, 'ROUND_')), ...(await auditFaults(address, history))]
}
