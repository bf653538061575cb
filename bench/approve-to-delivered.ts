import { setTimeout as sleep } from 'node:timers/promises'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { signedClient } from '../e2e/signed-client.ts'
import { type ApiProcess, SECRET, startApi, WITHOUT_EVENTS } from './contenders.ts'
import { deliveryTimes } from './delivery-times.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, type Measurement, percentile, rounded, within } from './measurement.ts'
import { ask, OpenWaits } from './open-waits.ts'
import { type Stage, stages } from './stages.ts'

const OTHERS = 1_000
const SAMPLES = 300
const VALUES = 10
const UNTIL_WAITING_MS = 500
const ADDED_MS = 1.5

/** From sending an approval to the whole answer at the waiting client, while 1,000 others wait: on one process, and
 * with the approval on another node than the wait. */
export const approveToDelivered: Benchmark = async () => {
  const measurements: Measurement[] = []
  for await (const { name, forApi, forBare } of stages()) {
    const place = { ...forApi, rootKey: formatRootKey(generateRootKey()) }
    const node = await startApi(place)
    const other = forApi.redisUrl === undefined ? null : await startApi(place)
    try {
      const alone = await measure(node, node)
      measurements.push(p50(alone, 5, `${name}, one node`), p99(alone, 25, `${name}, one node`))
      measurements.push(await eventsAdd(alone, name, { forApi, forBare }))
      if (other) measurements.push(p50(await measure(node, other), 10, 'two nodes on Redis'))
    } finally {
      await Promise.all([node.stop('SIGKILL'), other?.stop('SIGKILL')])
    }
  }
  return measurements
}

/** What events add, beside a server that writes none. */
async function eventsAdd(
  times: readonly number[],
  name: string,
  { forApi, forBare }: Pick<Stage, 'forApi' | 'forBare'>,
): Promise<Measurement> {
  const place = forBare === undefined ? forApi : { ...forApi, databaseUrl: forBare }
  const silent = await startApi(place, { preload: WITHOUT_EVENTS })
  try {
    const withEvents = percentile(times, 0.5)
    const without = percentile(await measure(silent, silent), 0.5)
    const figures = { subject: `${rounded(withEvents)} ms`, baseline: `${rounded(without)} ms without` }
    return within(
      { value: withEvents - without, bound: ADDED_MS, unit: 'ms' },
      { what: `approve to delivered p50, what events add, ${name}`, ...figures },
    )
  } finally {
    await silent.stop('SIGKILL')
  }
}

async function measure(waitsOn: ApiProcess, approvesOn: ApiProcess): Promise<number[]> {
  const bundle = `b${performance.now().toFixed(0)}`
  const library = await makeBundle(waitsOn.owner, bundle, VALUES)
  const waits = new OpenWaits(waitsOn.address)
  const asked = await ask(waitsOn.address, OTHERS + SAMPLES)
  const waiting = asked.map((each) => ({ asked: each, ended: waits.untilReady(each) }))
  for (const { ended } of waiting) ended.catch(() => {})
  await sleep(UNTIL_WAITING_MS)
  const approver = signedClient(approvesOn.address, SECRET, approvesOn.owner.identity)
  const times = await deliveryTimes(waiting.slice(0, SAMPLES), { approver, library })
  waits.close()
  return times
}

function p50(times: readonly number[], bound: number, where: string): Measurement {
  return within({ value: percentile(times, 0.5), bound, unit: 'ms' }, figuresOf('p50', times, where))
}

function p99(times: readonly number[], bound: number, where: string): Measurement {
  return within({ value: percentile(times, 0.99), bound, unit: 'ms' }, figuresOf('p99', times, where))
}

function figuresOf(which: string, times: readonly number[], where: string) {
  const subject = `slowest ${rounded(Math.max(...times))} ms`
  return { what: `approve to delivered ${which}, ${where}`, subject, baseline: `${OTHERS} others wait` }
}
