import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deployment } from './deployment.ts'
import type { DiskFault } from './disk-faults.ts'
import { History, type Outcome } from './history.ts'
import { posting, type TimedAnswer, timedAnswer } from './timed-answers.ts'
import { askAgain, beginWorkload, collectOwed, makeSharedBundle, storedKeys } from './workload.ts'

export type DiskResult = {
  /** Answers to writes during the fault. */
  readonly answers: readonly TimedAnswer[]
  /** From the fault's end until writes were taken again. */
  readonly recoveredMs: number
  /** What was lost, doubled or wrong: during the fault, after it, and after kill -9 and a start. */
  readonly faults: readonly string[]
}

const WRITES = 40
const PREFIX = 'DISK_'
const LOAD = { writers: 2, askers: 2 }
const LOAD_MS = 300

/** Work, suffer the fault while working on, recover without a restart, then be killed and start again. */
export async function sufferDiskFault(fault: DiskFault, dataDir?: string): Promise<DiskResult> {
  await using deployment = await Deployment.start({ processes: 'all', ...(dataDir ? { dataDir } : {}) })
  const { address } = deployment
  const history = new History()
  const bundle = await makeSharedBundle(address)
  const end = beginWorkload({ address, history, bundle, prefix: PREFIX, ...LOAD })
  await sleep(LOAD_MS)
  await fault.begin(deployment)
  const answers = await writeUnder(address, history)
  await end()
  const during = history.faults(await storedKeys(address, PREFIX), PREFIX)
  await fault.end()
  const recoveredMs = await untilWritten(address, history)
  const uncollected = await collectOwed(history)
  const after = history.faults(await storedKeys(address, PREFIX), PREFIX)
  await deployment.kill('all')
  await deployment.restart('all')
  await askAgain(history.deliveries)
  const restarted = history.faults(await storedKeys(address, PREFIX), PREFIX)
  return { answers, recoveredMs, faults: [...new Set([...during, ...uncollected, ...after, ...restarted])] }
}

async function writeUnder(address: string, history: History): Promise<TimedAnswer[]> {
  const answers: TimedAnswer[] = []
  for (let count = 0; count < WRITES; count++) answers.push(await writeOne(address, history))
  return answers
}

async function writeOne(address: string, history: History): Promise<TimedAnswer> {
  const name = `${PREFIX}${randomUUID().replaceAll('-', '')}`
  const value = 'x'.repeat(2_000)
  const report = history.writing(name, 'set', value)
  const answer = await timedAnswer(`${address}/api/v1/keys`, posting({ name, value, is_secret: false }))
  report(outcomeOf(answer))
  return answer
}

function outcomeOf({ status }: TimedAnswer): Outcome {
  if (status === 201) return 'acknowledged'
  return status >= 400 && status < 500 ? 'refused' : 'unknown'
}

async function untilWritten(address: string, history: History): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const { status } = await writeOne(address, history)
    if (status === 201) return performance.now() - startedAt
    if (performance.now() - startedAt > 30_000) throw new Error(`writes still answer ${status}`)
    await sleep(50)
  }
}
