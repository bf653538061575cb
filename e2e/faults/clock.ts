import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallError } from '@keyferry/contract/client'
import { TIMES } from '@keyferry/contract/limits'
import { Deployment, type DeploymentOptions } from './deployment.ts'
import { History } from './history.ts'
import { TerminalClient } from './terminal-client.ts'
import { beginWorkload, makeSharedBundle, type SharedBundle, storedKeys } from './workload.ts'

export type ClockResult = {
  /** From each step until a whole new delivery had gone through. */
  readonly deliveredMs: readonly number[]
  /** What was lost, doubled, wrong, kept too long or told to wait too long, in words. */
  readonly faults: readonly string[]
}

const HOUR_MS = 3_600_000
const STEPS_MS = [HOUR_MS, 0, -HOUR_MS, 0]
const PRELOAD = join(import.meta.dirname, 'stepped-clock.ts')
const PREFIX = 'CLOCK_'
const LOAD = { writers: 2, askers: 2 }
const LOAD_MS = 200
const UNTIL_STEPPED_MS = 50
const BRIEFLY_MS = 100
const HANG_MS = 30_000

/** Step the servers' wall clock an hour forth, back, an hour back, and forth again, under load and with a wait open
 * over every step. */
export async function stepClocks(options: DeploymentOptions): Promise<ClockResult> {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-clock-'))
  const file = join(folder, 'step')
  const env = { ...options.env, NODE_OPTIONS: `--import=${PRELOAD}`, STEPPED_CLOCK_FILE: file }
  await using deployment = await Deployment.start({ ...options, env })
  const { address } = deployment
  const history = new History()
  const bundle = await makeSharedBundle(address)
  const rounds: { deliveredMs: number; faults: string[] }[] = []
  for (const [index, stepMs] of STEPS_MS.entries()) {
    const end = beginWorkload({ address, history, bundle, prefix: `${PREFIX}${index}_`, ...LOAD })
    const wait = await beginWait(address)
    await sleep(LOAD_MS)
    writeFileSync(file, String(stepMs))
    for (const part of deployment.parts) process.kill(deployment.member(part).pid, 'SIGUSR2')
    await sleep(UNTIL_STEPPED_MS)
    rounds.push(await afterStep(address, { bundle, wait }))
    await end()
  }
  rmSync(folder, { recursive: true })
  const lost = history.faults(await storedKeys(address, PREFIX), PREFIX)
  return {
    deliveredMs: rounds.map((round) => round.deliveredMs),
    faults: [...rounds.flatMap((round) => round.faults), ...lost],
  }
}

type OpenWait = {
  client: TerminalClient
  requestId: string
  ended: Promise<string | null>
  /** Polled just before the step. */
  polledId: string
}

async function beginWait(address: string): Promise<OpenWait> {
  const client = new TerminalClient(address)
  const [requestId, polledId] = [await client.ask(), await client.ask()]
  void client.wait(polledId, AbortSignal.timeout(BRIEFLY_MS)).catch(nothing)
  return { client, requestId, ended: client.wait(requestId).catch(nothing), polledId }
}

function nothing(): null {
  return null
}

async function afterStep(
  address: string,
  { bundle, wait }: { bundle: SharedBundle; wait: OpenWait },
): Promise<{ deliveredMs: number; faults: string[] }> {
  const startedAt = performance.now()
  const refused = await refusedTooLong(wait)
  const faults = [...refused, ...(await deliverOne(address, bundle)), ...(await finishWait(wait, bundle))]
  return { deliveredMs: performance.now() - startedAt, faults }
}

async function deliverOne(address: string, bundle: SharedBundle): Promise<string[]> {
  const client = new TerminalClient(address)
  const requestId = await client.ask()
  const waiting = client.wait(requestId).catch(nothing)
  await client.approve(requestId, bundle)
  return (await waiting) === bundle.plaintext ? [] : ['a request made after the step was not delivered']
}

// What was asked for before the step has expired by the new clock, or is delivered; nothing in between.
async function finishWait({ client, requestId, ended }: OpenWait, bundle: SharedBundle): Promise<string[]> {
  const isApproved = await client.approve(requestId, bundle).then(() => true, refusedAsGone)
  if (!isApproved) return []
  const answer = await Promise.race([ended, sleep(HANG_MS, 'hung')])
  return answer === bundle.plaintext
    ? []
    : [`a wait held over the step ended with ${answer === 'hung' ? answer : 'nothing'}`]
}

// A client that polls again at once gets a Retry-After no longer than the limit's window, whatever the clock did.
async function refusedTooLong({ client, polledId }: OpenWait): Promise<string[]> {
  const refusal = await client
    .wait(polledId, AbortSignal.timeout(BRIEFLY_MS))
    .catch((error: unknown) => error)
  const seconds = refusal instanceof CallError ? refusal.retryAfterSeconds : null
  return seconds !== null && seconds > TIMES.pollIntervalSeconds ? [`told to wait ${seconds} s`] : []
}

function refusedAsGone(error: unknown): false {
  if (error instanceof CallError && error.status === 404) return false
  throw error
}
