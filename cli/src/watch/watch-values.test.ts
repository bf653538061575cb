import { decodeBase64 } from '@keyferry/crypto/base64'
import { makeMachineToken } from '@keyferry/crypto/machine-token'
import { seal } from '@keyferry/crypto/seal'
import { describe, expect, test } from 'vitest'
import { answered, stage } from '../../test/stage.ts'
import type { ExchangeAnswer, ExchangeRequest } from '../base/exchange.ts'
import type { Environment } from '../base/parts.ts'
import type { ProgramWithValues } from '../delivery/run-option.ts'
import { runWatched } from './watch-values.ts'

const REQUEST = {
  server: 'https://keyferry.example',
  as: null,
  bundle: 'dev/app',
  workspace: null,
  acceptsAnyBundle: false,
  keys: [],
  optionalKeys: [],
  prefix: '',
  allowedNames: [],
  command: ['service'],
  via: 'run',
  agent: null,
  reason: null,
  requiredAssurance: null,
  receiptFile: null,
}
const SAME = answered({ changed: false })
const REFUSED = answered({ error: 'Forbidden: no', code: 'forbidden' }, 403)
const GONE = answered({ error: 'no such delivery', code: 'not_found' }, 404)
const BUSY = answered({ error: 'busy', code: 'unavailable' }, 503)

const times = (count: number, answer: ExchangeAnswer) => Array.from({ length: count }, () => answer)

/** Watches a program until the server has given these answers, or nothing is watched any more.
 * @returns what a person reads, and how long the client waited before each further call */
async function watched(
  answers: readonly ExchangeAnswer[],
  deliveryId: string | null = 'd1',
  env: Environment = { KEYFERRY_TOKEN: makeMachineToken() },
) {
  const parts = stage(env, '/')
  const left = [...answers]
  const pauses: number[] = []
  const end = () => parts.seen.ended.resolve(7)
  const write = (text: string) => {
    parts.stderr.write(text)
    if (text.includes('not watched')) end()
  }
  const request = { server: 'https://keyferry.example', as: null, prefix: '' }
  const exitCode = await runWatched({ request, delivered: { deliveryId } } as ProgramWithValues, {
    ...parts,
    stderr: { ...parts.stderr, write },
    clock: { ...parts.clock, sleep: async (ms) => void pauses.push(ms) },
    exchange: async () => {
      const answer = left.shift()
      if (answer !== undefined) return answer
      end()
      return await new Promise(() => undefined)
    },
  })
  expect([exitCode, left]).toEqual([7, []])
  return { said: parts.seen.stderr, pauses }
}

const TRYING = /; the program keeps the values it has, trying again\n/g
const linesIn = (said: string) => said.match(TRYING)?.length ?? 0

describe('while values are watched', () => {
  test('the first refusal is one line, and so is the first after a good answer', async () => {
    expect(linesIn((await watched([REFUSED])).said)).toBe(1)
    expect(linesIn((await watched(times(3, REFUSED))).said)).toBe(1)
    expect(linesIn((await watched([REFUSED, SAME, REFUSED, REFUSED])).said)).toBe(2)
  })

  test('a server that is away is a line at the fifth failure in a row', async () => {
    expect(linesIn((await watched(times(4, BUSY))).said)).toBe(0)
    expect(linesIn((await watched(times(7, BUSY))).said)).toBe(1)
    expect(linesIn((await watched([...times(4, BUSY), SAME, ...times(4, BUSY)])).said)).toBe(0)
  })

  test('pauses grow to a minute, begin again after a good answer, or are those of the server', async () => {
    const { pauses } = await watched([...times(8, BUSY), SAME, BUSY, { ...BUSY, retryAfterMs: 7_000 }])
    const seconds = [1, 2, 4, 8, 16, 32, 60, 60, 1, 1, 7]
    expect(pauses).toHaveLength(seconds.length)
    for (const [index, wanted] of seconds.entries()) {
      expect(pauses[index]).toBeGreaterThan(wanted * 700)
      expect(pauses[index]).toBeLessThanOrEqual(wanted * 1_250)
    }
  })

  test('a delivery that the server does not know is asked for twice, then nothing is watched', async () => {
    const { said, pauses } = await watched([GONE, GONE])
    expect(said).toMatch(/^keyferry: values are not watched: the server does not let this client watch them/)
    expect(pauses).toHaveLength(1)
    expect((await watched([GONE, BUSY, GONE])).said).toBe('')
  })

  test('a terminal whose key is gone watches nothing', async () => {
    const { said } = await watched([], 'd1', { XDG_STATE_HOME: '/nowhere' })
    expect(said).toMatch(/does not let this client watch them \(this terminal has no key\)/)
  })

  test('a server that keeps no deliveries cannot be watched', async () => {
    const { said } = await watched([], null)
    expect(said).toMatch(
      /values are not watched: this server does not tell of changes\. The program keeps running/,
    )
  })

  test('a failed fetch is one line; then the changed names are said, and equal values are not named', async () => {
    const env = { KEYFERRY_TOKEN: makeMachineToken() }
    const parts = stage(env, '/')
    const request = { ...REQUEST, prefix: 'APP_' }
    const kept = { A: 'old', B: 'same', C: 'gone' }
    const values = new Map(Object.entries(kept).map(([name, value]) => [`APP_${name}`, value]))
    const changed = { A: 'new', B: 'same', D: 'added' }
    const fetched = [kept, changed, kept]
    const pauses: number[] = []
    const refusals = times(2, REFUSED)
    const answer = ({ url, body = '' }: ExchangeRequest): ExchangeAnswer | null => {
      if (!url.endsWith('/deliveries')) return fetched.length > 0 ? answered({ changed: true }) : null
      const refusal = refusals.pop()
      if (refusal !== undefined) return refusal
      const next = Buffer.from(JSON.stringify(fetched.shift()))
      const box = seal(next, decodeBase64(JSON.parse(body).client_pubkey))
      const named = { machine: { id: 'm', name: 'ci' }, bundle: { id: 'b', name: 'dev/app' } }
      return answered({ ...named, ciphertext_base64: Buffer.from(box).toString('base64'), delivery_id: 'd2' })
    }
    const start = { argv: ['service'], env: {}, searchPath: null, filters: null }
    const watching = {
      request,
      delivered: { values, secrets: new Map(), deliveryId: 'd1', versions: [] },
      start,
      startWith: async () => start,
    }
    const exitCode = await runWatched(watching as unknown as ProgramWithValues, {
      ...parts,
      clock: { ...parts.clock, monotonicMs: () => 0, sleep: async (ms) => void pauses.push(ms) },
      exchange: async (asked) => {
        const given = answer(asked)
        if (given !== null) return given
        parts.seen.ended.resolve(7)
        return await new Promise(() => undefined)
      },
    })
    expect([exitCode, fetched]).toEqual([7, []])
    expect(parts.seen.stderr).toBe(
      `keyferry: values changed, but cannot be fetched: ${request.server} refused: no (403); the program keeps the values it has, trying again
keyferry: changed: A, C, D; restarting the program
keyferry: changed: A, D, C; restarting the program
`,
    )
    expect(parts.seen.started).toHaveLength(3)
    expect(pauses[0]).toBeGreaterThanOrEqual(1_000)
    expect(pauses[0]).toBeLessThanOrEqual(3_000)
    // A program is not restarted again at once.
    expect(pauses.at(-1)).toBe(5_000)
  })
})
