import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import type { ExchangeRequest } from '../base/exchange.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { deliverToMachine } from './deliver-to-machine.ts'
import type { ValuesRequest } from './values-request.ts'

const REQUEST: ValuesRequest = {
  server: 'https://keyferry.example.com',
  as: 'machine',
  bundle: 'dev/app',
  workspace: null,
  isWorkspaceFlag: false,
  folder: '/',
  acceptsAnyBundle: false,
  keys: ['A', 'B'],
  optionalKeys: ['B'],
  prefix: '',
  allowedNames: [],
  format: 'sh',
  command: ['printenv', 'A'],
  via: 'run',
  agent: 'helper',
  reason: 'the nightly report',
  requiredAssurance: null,
  receiptFile: null,
  isRemembered: false,
  use: { redaction: 'auto', flags: [] },
  whyNotOpen: null,
  hidesQrCode: true,
}
const CREDENTIAL = { machineId: 'm1', proof: 'token …0UBJ', forKey: async () => 'kfm_token' }

type Away = { retryAfterMs?: number | null; answers?: Promise<void> }

/** A delivery from a server that is away, and what it does. `paused`: resolves at its first pause. */
function delivering({ retryAfterMs = null, answers }: Away = {}) {
  const scene = stage({}, '/')
  const asked: ExchangeRequest[] = []
  const paused = withResolvers<void>()
  const pause = withResolvers<void>()
  const pauses: number[] = []
  const sleep = async (ms: number) => {
    pauses.push(ms)
    paused.resolve()
    await pause.promise
  }
  const exchange = async (request: ExchangeRequest) => {
    asked.push(request)
    await answers
    return { ...answered({ error: 'unavailable' }, 503), retryAfterMs }
  }
  const clock = { ...scene.clock, sleep }
  const ended = deliverToMachine(REQUEST, CREDENTIAL, { ...scene, clock, exchange })
  return { scene, asked, pauses, paused, pause, ended }
}

test('a machine says who asks for what', async () => {
  const { scene, asked, pause, ended } = delivering()
  pause.resolve()
  await expect(ended).rejects.toThrow(
    'no delivery from https://keyferry.example.com after 3 tries: unavailable',
  )
  const publicKey = Buffer.from(scene.seen.keyPairs[0]?.publicKey ?? []).toString('base64')
  expect(asked.map(({ body }) => JSON.parse(body ?? ''))).toEqual(
    Array.from({ length: 3 }, () => ({
      client_pubkey: publicKey,
      bundle_id: 'dev/app',
      include_keys: ['A', 'B'],
      machine_id: 'm1',
      meta: expect.objectContaining({
        agent: 'helper',
        reason: 'the nightly report',
        command: 'printenv A',
        via: 'run',
      }),
    })),
  )
  expect(scene.seen.cleanUps.size).toBe(0)
})

test('what a call brings after a signal changes nothing', async () => {
  const answers = withResolvers<void>()
  const { scene, asked, pauses, ended } = delivering({ answers: answers.promise })
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  void ended.then(settle, settle)
  await expect.poll(() => asked.length).toBe(1)
  for (const cleanUp of scene.seen.cleanUps) await cleanUp()
  answers.resolve()
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  expect([pauses, isSettled]).toEqual([[], false])
})

test('a signal ends the tries', async () => {
  const { scene, asked, paused, pause, ended } = delivering()
  let isSettled = false
  void ended.finally(() => {
    isSettled = true
  })
  await paused.promise
  for (const cleanUp of scene.seen.cleanUps) await cleanUp()
  pause.resolve()
  await nextTurn()
  expect([asked.length, isSettled]).toEqual([1, false])
  expect(scene.seen.keyPairs[0]?.secretKey.every((byte) => byte === 0)).toBe(true)
})

test.each([
  [null, [1_000, 2_000]],
  [7_000, [7_000, 7_000]],
  [90_000, [60_000, 60_000]],
])('the pauses grow, or are those of the server, up to a minute: %j', async (retryAfterMs, expected) => {
  const { pauses, pause, ended } = delivering({ retryAfterMs })
  pause.resolve()
  await expect(ended).rejects.toMatchObject({ exitCode: 5 })
  expect(pauses).toEqual(expected)
})
