import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { killedServer, momentsOf } from './killed-server.ts'
import type { NodeProcess } from './node-process.ts'
import { ownerNamed } from './signed-client.ts'

const VARIABLES = 500
// An import takes about 100 ms.
const DELAYS_MS = momentsOf([5, 20, 40, 60, 90])

test.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])(
  'an import whose server is killed is whole or not there, on %s',
  async (kind) => {
    const { start, signedFor, secret } = await killedServer(kind)
    for (const delayMs of DELAYS_MS) {
      const bundle = `killed/${delayMs}`
      const server = await start()
      const signed = await signedFor(server)
      const answer = send(server, signed, importOf(bundle, delayMs))
      await sleep(delayMs)
      await server.stop('SIGKILL')
      const isAnswered = (await answer) === 200
      const after = await start()
      const { call } = await ownerNamed('killed', after.address, secret)
      const keysOf = () => call('GET', '/api/v1/keys', { query: { query: `K${delayMs}_` } })
      const [found] = await call('GET', '/api/v1/bundles', { query: { query: bundle } })
      const keys = await keysOf()
      expect([0, VARIABLES]).toContain(keys.length)
      expect(found?.key_count ?? 0).toBe(keys.length)
      if (isAnswered) expect(keys.length).toBe(VARIABLES)
      expect(await send(after, await signedFor(after), importOf(bundle, delayMs))).toBe(200)
      expect(await keysOf()).toHaveLength(VARIABLES)
      await after.stop()
    }
  },
)

function importOf(bundle: string, delayMs: number): string {
  const names = Array.from({ length: VARIABLES }, (_, index) => `K${delayMs}_${index}`)
  return JSON.stringify({ bundle, entries: names.map((name) => ({ name, value: name })) })
}

/** @returns the status of the answer; null: the connection broke */
async function send(
  { address }: NodeProcess,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | null> {
  try {
    return (await fetch(`${address}/api/v1/imports`, { method: 'POST', headers, body })).status
  } catch {
    return null
  }
}
