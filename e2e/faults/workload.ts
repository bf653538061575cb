import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type EndpointClient } from '@keyferry/contract/client'
import type { Delivery, History, Outcome } from './history.ts'
import { attempt } from './outcome.ts'
import { TerminalClient } from './terminal-client.ts'

export type SharedBundle = {
  readonly bundleId: string
  readonly names: readonly string[]
  /** What a client reads that was given all of it. */
  readonly plaintext: string
}

export type WorkloadOptions = {
  readonly address: string
  readonly history: History
  readonly bundle: SharedBundle
  /** Begins the name of every key that is written. */
  readonly prefix: string
  readonly writers: number
  readonly askers: number
}

const AFTER_FAILURE_MS = 20
const PATIENCE_MS = 1_500
const BRIEFLY_MS = 300

/** A bundle to approve from. Its names are none of the history's. */
export async function makeSharedBundle(address: string): Promise<SharedBundle> {
  const call = createClient(address)
  const { id } = await call('POST', '/api/v1/bundles', { body: { name: 'shared' } })
  const values = { SHARED_A: 'a "b" $c\n\u00e9', SHARED_B: '' }
  for (const [name, value] of Object.entries(values)) {
    const key = await call('POST', '/api/v1/keys', { body: { name, value } })
    const params = { bundle_id: id, key_id: key.id }
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params })
  }
  return { bundleId: id, names: Object.keys(values), plaintext: JSON.stringify(values) }
}

/** Begin to write keys and to carry deliveries, and write down what became of each call. Failures are part of it.
 * @returns ends it and resolves once the last call has ended */
export function beginWorkload(options: WorkloadOptions): () => Promise<void> {
  const stopping = new AbortController()
  const isOn = () => !stopping.signal.aborted
  const writers = Array.from({ length: options.writers }, (_, index) => writeKeys(options, index, isOn))
  const askers = Array.from({ length: options.askers }, () => carryDeliveries(options, isOn))
  return async () => {
    stopping.abort()
    await Promise.all([...writers, ...askers])
  }
}

async function writeKeys(options: WorkloadOptions, writer: number, isOn: () => boolean): Promise<void> {
  const call = createClient(options.address)
  for (let count = 0; isOn(); count++) {
    const isWell = await liveOfAKey(call, options.history, `${options.prefix}${writer}_${count}`)
    if (!isWell) await sleep(AFTER_FAILURE_MS)
  }
}

// After a write of unknown end the key is left alone, so that nothing overtakes what may still be under way.
async function liveOfAKey(call: EndpointClient, history: History, name: string): Promise<boolean> {
  const value = randomBytes(24).toString('hex')
  const report = history.writing(name, 'set', value)
  const body = { name, value, is_secret: false }
  const made = await attempt(() => call('POST', '/api/v1/keys', { body }), report)
  if (!made) return false
  const params = { key_id: made.answer.id }
  const changed = randomBytes(24).toString('hex')
  if (randomInt(2) === 0) {
    const update = () => call('PUT', '/api/v1/keys/{key_id}', { params, body: { value: changed } })
    if (!(await attempt(update, history.writing(name, 'set', changed)))) return false
  }
  if (randomInt(4) > 0) return true
  const remove = () => call('DELETE', '/api/v1/keys/{key_id}', { params })
  return (await attempt(remove, history.writing(name, 'delete'))) !== null
}

async function carryDeliveries(options: WorkloadOptions, isOn: () => boolean): Promise<void> {
  while (isOn()) {
    const isWell = await carryOne(options)
    if (!isWell) await sleep(AFTER_FAILURE_MS)
  }
}

async function carryOne({ address, history, bundle }: WorkloadOptions): Promise<boolean> {
  const client = new TerminalClient(address)
  const asked = await attempt(() => client.ask(), ignore)
  if (!asked) return false
  const requestId = asked.answer
  const wait = (signal: AbortSignal) => client.wait(requestId, signal)
  const delivery = history.asking({ requestId, expected: bundle.plaintext, wait })
  const report = (outcome: Outcome) => {
    delivery.approval = outcome
  }
  const approve = () => attempt(() => client.approve(requestId, bundle), report)
  // Every third approval is not waited for: it has to be deliverable after the next fault.
  if (randomInt(3) === 0) return (await approve()) !== null
  const [, approved] = await Promise.all([waitOnce(delivery, PATIENCE_MS), approve()])
  return approved !== null
}

function ignore(): void {
  // What became of the call is not the history's.
}

async function waitOnce(delivery: Delivery, patienceMs: number): Promise<void> {
  delivery.wasAsked = true
  const waited = await attempt(() => delivery.wait(AbortSignal.timeout(patienceMs)), ignore)
  if (typeof waited?.answer === 'string') delivery.received.push(waited.answer)
}

/** Collect every delivery that is owed.
 * @returns what is wrong, in words */
export async function collectOwed(history: History): Promise<string[]> {
  const { owed } = history
  await Promise.all(owed.map((delivery) => waitOnce(delivery, PATIENCE_MS)))
  const missing = owed.filter(({ received }) => received.length === 0)
  return missing.map(({ requestId }) => `${requestId} was approved and cannot be had`)
}

/** Ask once more for deliveries, had already or not; what comes is in the history then. */
export async function askAgain(deliveries: readonly Delivery[]): Promise<void> {
  await Promise.all(deliveries.map((delivery) => waitOnce(delivery, BRIEFLY_MS)))
}

/** Name and value of every key whose name begins with the prefix. */
export async function storedKeys(address: string, prefix: string): Promise<Map<string, string>> {
  const keys = await createClient(address)('GET', '/api/v1/keys', { query: { query: prefix } })
  const own = keys.filter(({ name }) => name.startsWith(prefix))
  return new Map(own.map(({ name, value }) => [name, value]))
}
