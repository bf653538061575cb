import { setTimeout as sleep } from 'node:timers/promises'
import { processorMs, residentMiB } from '../e2e/node-process.ts'
import { startApi } from './contenders.ts'
import { deliveryTimes, type Waiting } from './delivery-times.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, percentile, rounded, shown, within } from './measurement.ts'
import { ask, OpenWaits } from './open-waits.ts'

const MEMORY_MIB = 250
const WAKE_MS = 250
const SHUTDOWN_MS = 3_000
const WOKEN = 500
const OPENED_AT_ONCE = 500
const SETTLE_MS = 1_500

/** So many open waits on one process: what they take, how fast each is woken, how fast all are answered at the end. */
export const waiting: Benchmark = async ({ waiters }) => {
  const api = await startApi()
  const library = await makeBundle(api.owner, 'waiting', 10)
  const asked = await ask(api.address, waiters)
  await sleep(SETTLE_MS)
  const before = residentMiB(api.pid)
  const worked = processorMs(api.pid)
  const waits = new OpenWaits(api.address)
  const all: Waiting[] = []
  for (const [index, each] of asked.entries()) {
    all.push({ asked: each, ended: waits.once(each) })
    if (index % OPENED_AT_ONCE === 0) await sleep(50)
  }
  await sleep(SETTLE_MS)
  const memory = residentMiB(api.pid) - before
  const eachMs = (processorMs(api.pid) - worked) / waiters
  const times = await deliveryTimes(spread(all, WOKEN), { approver: api.owner, library })
  const shutdownMs = await shutDown(all, () => api.stop())
  waits.close()
  const what = (about: string) => `${rounded(waiters)} open waits: ${about}`
  const woken = `slowest ${rounded(Math.max(...times))} ms`
  return [
    shown(`${rounded(eachMs)} ms of a core each`, figures(what('taking them'), '')),
    within(
      { value: memory, bound: MEMORY_MIB, unit: 'MiB' },
      figures(what('memory'), `${rounded(before)} MiB before`),
    ),
    within({ value: percentile(times, 0.99), bound: WAKE_MS, unit: 'ms' }, figures(what('woken p99'), woken)),
    within(
      { value: shutdownMs, bound: SHUTDOWN_MS, unit: 'ms' },
      figures(what('all answered at shutdown'), ''),
    ),
  ]
}

function figures(what: string, subject: string) {
  return { what, subject, baseline: '' }
}

function spread<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(all.length / count))
  return all.filter((_, index) => index % step === 0)
}

/** @returns milliseconds until the last waiter had its answer; every one has to have one */
async function shutDown(all: readonly Waiting[], stop: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  const [answers] = await Promise.all([Promise.all(all.map(({ ended }) => ended)), stop()])
  return Math.max(...answers.map(({ atMs }) => atMs)) - startedAt
}
