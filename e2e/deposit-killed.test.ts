import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hasPostgres } from '../plumbing/test/postgres.ts'
import { Depositor } from './depositor.ts'
import { killedServer } from './killed-server.ts'
import type { NodeProcess } from './node-process.ts'
import { ownerNamed } from './signed-client.ts'

const VARIABLES = 500
// To store them takes about 100 ms. `answer`: when they are stored, and before the terminal hears of it.
const MOMENTS = { sqlite: [5, 40, 'answer'], postgres: [40, 'answer'] } as const
const DIES_BEFORE_ANSWER = join(import.meta.dirname, 'dies-before-answer.ts')

test.each<'sqlite' | 'postgres'>(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])(
  'a deposit whose server is killed is stored whole or not at all, and its terminal learns which, on %s',
  async (kind) => {
    const { start, signedFor, loseRequest, secret } = await killedServer(kind)
    const deposits: { terminal: Depositor; id: string; isStored: boolean }[] = []
    let server = await start()
    for (const moment of MOMENTS[kind]) {
      if (moment === 'answer') {
        await server.stop()
        server = await start(DIES_BEFORE_ANSWER)
      }
      const bundle = `killed/${moment}`
      const terminal = new Depositor(server.address)
      const names = Array.from({ length: VARIABLES }, (_, index) => `K${moment}_${index}`)
      const { id } = await terminal.deposit(bundle, Object.fromEntries(names.map((name) => [name, name])))
      const headers = await signedFor(server)
      const plan = await send(server, headers, `${id}/deposit-plan`, {})
      const choice = { plan_id: plan?.['plan_id'], release: 'code' }
      const held = (await send(server, headers, `${id}/deposit`, choice)) as { release: { code: string } }
      const answer = terminal.release(id, held.release.code).catch(() => null) // the connection broke
      await (moment === 'answer' ? answer : sleep(moment))
      await server.stop('SIGKILL')
      const isAnswered = (await answer)?.status === 200
      server = await start()
      const { call } = await ownerNamed('killed', server.address, secret)
      const keys = await call('GET', '/api/v1/keys', { query: { query: `K${moment}_` } })
      expect([0, VARIABLES]).toContain(keys.length)
      if (isAnswered || moment === 'answer') expect(keys.length).toBe(VARIABLES)
      if (moment === 'answer') {
        expect(isAnswered).toBe(false)
        await loseRequest(id)
      }
      deposits.push({ terminal, id, isStored: keys.length === VARIABLES })
    }
    const { address } = server
    await Promise.all(
      deposits.map(async ({ terminal, id, isStored }) => {
        terminal.moveTo(address)
        const answer = await ended(terminal, id)
        expect(answer).toBe(isStored ? 'applied' : 'pending')
      }),
    )
    await server.stop()
  },
)

/** What a request comes to, once no node works on it. A client waits, so that a node looks. */
async function ended(terminal: Depositor, id: string): Promise<unknown> {
  const waiting = terminal.wait(id)
  for (;;) {
    const { body } = await terminal.context(id)
    if (body['status'] === 'pending' || body['status'] === 'held') return 'pending'
    const answer = await Promise.race([waiting, sleep(500, null)])
    if (answer !== null) return answer.body['status']
  }
}

async function send(
  { address }: NodeProcess,
  headers: Readonly<Record<string, string>>,
  path: string,
  body: object,
): Promise<Record<string, unknown> | null> {
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return JSON.parse(await (await fetch(`${address}/api/v1/requests/${path}`, init)).text())
  } catch {
    return null // the connection broke
  }
}
