import { expect, test } from 'vitest'
import type { ExchangeAnswer } from '../base/exchange.ts'
import type { Clock } from '../base/parts.ts'
import { patientExchange } from './endpoint-call.ts'

const REQUEST = { method: 'POST', url: 'http://x/', timeoutMs: 1, maxBodyBytes: 1 } as const

function answer(status: number, retryAfterMs: number | null = null): ExchangeAnswer {
  return { status, retryAfterMs, dateMs: null, location: null, body: '' }
}

/** Sends one request to a server with these answers. */
async function send(answers: readonly ExchangeAnswer[]) {
  const slept: number[] = []
  const reported: number[] = []
  let calls = 0
  const clock: Clock = {
    monotonicMs: () => 0,
    epochMs: () => 0,
    sleep: async (milliseconds) => void slept.push(milliseconds),
    every: () => () => undefined,
  }
  const exchange = async () => answers[Math.min(calls++, answers.length - 1)] ?? answer(500)
  const written: string[] = []
  const stderr = {
    isTerminal: false,
    columns: () => 80,
    rows: () => 24,
    write: (text: string) => void written.push(text),
  }
  const parts = { exchange, clock, view: 'json', stderr } as const
  const { status } = await patientExchange(parts, (ms) => void reported.push(ms))(REQUEST)
  return { status, slept, reported, calls, events: written.map((line) => JSON.parse(line)) }
}

test("a call is retried after the server's Retry-After, with a message each time", async () => {
  const sent = await send([answer(429, 17_000), answer(429, 2_000), answer(201)])
  expect(sent).toMatchObject({ status: 201, slept: [17_000, 2_000], reported: [17_000, 2_000], calls: 3 })
})

test('without Retry-After, a call is retried after five seconds, and never at once', async () => {
  expect((await send([answer(429), answer(200)])).slept).toEqual([5_000])
  expect((await send([answer(429, 0), answer(200)])).slept).toEqual([1_000])
})

test('a wait of more than five minutes, in one or in all, is not begun', async () => {
  expect(await send([answer(429, 300_001)])).toMatchObject({ status: 429, slept: [], calls: 1 })
  expect(await send([answer(429, 100_000)])).toMatchObject({ status: 429, calls: 4 })
})

test('other answers are passed on', async () => {
  expect(await send([answer(503, 1_000)])).toMatchObject({ status: 503, slept: [], calls: 1 })
})

test('a machine reads the wait as JSON', async () => {
  const { events } = await send([answer(429, 1_500), answer(200)])
  expect(events).toEqual([{ event: 'rate_limited', wait_seconds: 2 }])
})
