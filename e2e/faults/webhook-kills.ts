import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { Receiver } from '../../api/test/webhook-receiver.ts'
import { startServer } from '../start-server.ts'

export type WebhookKills = {
  /** Changes that were acknowledged. */
  readonly acknowledged: number
  /** Messages that came twice, with the same id. */
  readonly repeated: number
  /** Bundles whose message never came, and messages that are wrong, in words. */
  readonly faults: readonly string[]
}

const CHANGES = 5
/** Appending begins 200 ms after a change, and sending at most half a second after that. */
const LONGEST_LIFE_MS = 900
/** A message that was being sent at the kill is free again after half a minute. */
const ALL_WITHIN_MS = 60_000

/** Kill a server at a random moment between a change and its call, start it again, and look whether each change that
 * was acknowledged is told. Repeats this `kills` times. */
export async function killBeforeCalls({
  kills,
  longestLifeMs = LONGEST_LIFE_MS,
}: {
  kills: number
  longestLifeMs?: number
}): Promise<WebhookKills> {
  const receiver = new Receiver()
  await receiver.start()
  let server = await startServer({ env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
  const { dispose } = server
  const acknowledged = new Set<string>()
  try {
    const body = { url: receiver.url, events: ['bundle.created' as const] }
    await createClient(server.url)('POST', '/api/v1/webhooks', { body })
    for (let round = 0; round < kills; round++) {
      const call = createClient(server.url)
      const names = Array.from({ length: CHANGES }, (_, index) => `round-${round}-${index}`)
      for (const name of names) {
        await call('POST', '/api/v1/bundles', { body: { name } })
        acknowledged.add(name)
      }
      await sleep(randomInt(longestLifeMs))
      await server.stop('SIGKILL')
      server = await server.restart()
    }
    await until(() => namesIn(receiver).size >= acknowledged.size)
    return { acknowledged: acknowledged.size, ...judged(receiver, acknowledged) }
  } finally {
    await server.stop()
    await dispose()
    receiver.stop()
  }
}

function namesIn({ bodies }: Receiver): ReadonlySet<string> {
  return new Set(bodies.map(({ data }) => (data['bundle'] as { name: string }).name))
}

function judged(receiver: Receiver, acknowledged: ReadonlySet<string>): Omit<WebhookKills, 'acknowledged'> {
  const delivered = namesIn(receiver)
  const lost = [...acknowledged].filter((name) => !delivered.has(name)).map((name) => `${name} was not told`)
  const bodies = Map.groupBy(receiver.received, ({ headers }) => String(headers['webhook-id']))
  const other = [...bodies].filter(([, calls]) => new Set(calls.map(({ body }) => body)).size > 1)
  const extra = bodies.size > delivered.size ? [`${bodies.size} ids for ${delivered.size} changes`] : []
  return {
    repeated: receiver.received.length - bodies.size,
    faults: [...lost, ...other.map(([id]) => `${id} came with another body`), ...extra],
  }
}

async function until(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + ALL_WITHIN_MS
  while (!isDone() && performance.now() < deadline) await sleep(50)
}
