import { describe, expect, test } from 'vitest'
import { CliError } from '../base/cli-error.ts'
import { type ExchangeAnswer, NetworkError } from '../base/exchange.ts'
import type { Clock } from '../base/parts.ts'
import type { WaitedFor } from '../base/pending-request.ts'
import { NoAnswer } from '../server/server-failure.ts'
import type { Delivery } from '../server/wait-answer.ts'
import { deliveryIn, waitForEnd } from './wait.ts'

const READY = answer(200, { status: 'ready', ciphertext_base64: 'Ym94' })
const PENDING = answer(200, { status: 'pending' })

function answer(status: number, body: object, retryAfterMs: number | null = null): ExchangeAnswer {
  return { status, body: JSON.stringify(body), retryAfterMs, dateMs: null, location: null }
}

/** A server with a list of answers, and a clock that moves only during a sleep or a call that waits. */
function scene(answers: readonly (ExchangeAnswer | NetworkError | 'waits')[], waitMs = 30_000) {
  let nowMs = 1_000_000
  const starts: number[] = []
  const clock: Clock = {
    monotonicMs: () => nowMs,
    epochMs: () => {
      throw new Error('waiting reads no wall clock')
    },
    sleep: async (milliseconds) => {
      nowMs += milliseconds
    },
    every: () => () => undefined,
  }
  const known: (string | null)[] = []
  const exchange = async ({ url }: { url: string }): Promise<ExchangeAnswer> => {
    known.push(new URL(url).searchParams.get('known'))
    starts.push(nowMs - 1_000_000)
    const next = answers[starts.length - 1] ?? PENDING
    if (next === 'waits') nowMs += waitMs
    if (next instanceof NetworkError) throw next
    return next === 'waits' ? PENDING : next
  }
  const trouble: string[] = []
  const needed: string[] = []
  const others: WaitedFor[] = []
  const events = {
    onTrouble: (reason: string) => void trouble.push(reason),
    onRecovery: () => void trouble.push('-'),
    onNeeds: (needs: string, other: WaitedFor | null) => {
      needed.push(needs)
      if (other) others.push(other)
    },
  }
  const waiting = {
    server: 'http://x',
    id: 'i',
    verifier: 'v',
    intervalMs: 3_000,
    deadlineMs: 1_300_000,
    epoch: null,
  }
  return {
    starts,
    trouble,
    needed,
    others,
    known,
    done: ciphertext(waitForEnd({ exchange, clock }, waiting, events).then(deliveryIn)),
  }
}

async function ciphertext(delivery: Promise<Delivery>): Promise<string> {
  return (await delivery).ciphertextBase64
}

const lost = new NetworkError('ECONNRESET', 'reset')

describe('when the next call starts', () => {
  test('three seconds from start to start, when the server answers at once', async () => {
    const { done, starts } = scene([PENDING, PENDING, READY])
    expect(await done).toBe('Ym94')
    expect(starts).toEqual([0, 3_100, 6_200])
  })

  test('at once, when the server kept the call open', async () => {
    const { done, starts } = scene(['waits', 'waits', READY])
    await done
    expect(starts).toEqual([0, 30_000, 60_000])
  })

  test('after what Retry-After says', async () => {
    const { done, starts, trouble } = scene([answer(429, { error: 'Too many requests' }, 7_000), READY])
    await done
    expect(starts).toEqual([0, 7_000])
    expect(trouble).toEqual(['Too many requests, wait 7 s'])
  })

  test('a fast clock: refused calls wait until the server accepts them', async () => {
    const refused = answer(429, { error: 'Too many requests' }, 1_000)
    const { done, starts } = scene([PENDING, refused, refused, READY])
    await done
    expect(starts).toEqual([0, 3_100, 4_100, 5_100])
  })

  test('with growing pauses, when nothing answers', async () => {
    const { done, starts, trouble } = scene([lost, lost, lost, lost, lost, lost, lost, PENDING, READY])
    await done
    expect(starts.slice(0, 8)).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 12_750, 17_750])
    expect(trouble.at(-1)).toBe('-')
  })

  test('a failing server is retried no sooner than the interval', async () => {
    const { done, starts } = scene([answer(503, { error: 'unavailable' }), READY])
    await done
    expect(starts).toEqual([0, 3_000])
  })
})

describe('how it ends', () => {
  test('denied', async () => {
    await expectExit(scene([answer(404, { error: 'x', code: 'request_denied' })]).done, 3)
  })

  test('unknown to the server', async () => {
    const { done } = scene([PENDING, answer(404, { error: 'request not found or expired' })])
    await expect(done).rejects.toThrow('request expired or unknown')
  })

  test('expired on the server just before our own clock', async () => {
    const waits = Array.from({ length: 9 }, () => 'waits' as const)
    const { done } = scene([...waits, answer(404, { error: 'request not found or expired' })], 33_300)
    await expect(done).rejects.toThrow('expired before it was approved')
  })

  test('expired, as the server says', async () => {
    const { done } = scene([PENDING, answer(404, { error: 'x', code: 'request_expired' })])
    await expect(done).rejects.toThrow('expired before it was approved')
  })

  test('expired while the server is unreachable', async () => {
    const { done, starts } = scene(Array.from({ length: 200 }, () => lost))
    await expectExit(done, 4)
    expect(starts.at(-1)).toBe(300_000)
  })

  test('expired while the server says pending', async () => {
    const { done, starts } = scene([])
    await expectExit(done, 4)
    expect(starts.at(-1)).toBe(300_000)
  })

  test('refused: any other answer', async () => {
    await expectExit(scene([answer(400, { error: 'no' })]).done, 6)
  })

  test('an untrusted certificate is not retried', async () => {
    const { done } = scene([new NetworkError('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed')])
    await expect(done).rejects.toBeInstanceOf(NoAnswer)
  })
})

async function expectExit(done: Promise<string>, exitCode: number): Promise<void> {
  const error: unknown = await done.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(CliError)
  expect(error).toMatchObject({ exitCode })
}

test('each call says what the client knows, so that the next need ends it', async () => {
  const byCode = answer(200, { status: 'pending', needs: 'release', release_by: 'code' })
  const second = answer(200, { status: 'pending', needs: 'second_person' })
  const { done, needed, known } = scene([PENDING, byCode, byCode, second, READY])
  expect(await done).toBe('Ym94')
  expect(needed).toEqual(['code', 'second_person'])
  expect(known).toEqual(['none', 'none', 'code', 'code', 'second_person'])
})

test('a request that waits for an owner is polled for as long as the server says', async () => {
  const deciders = { who: 'owner', count: 2 }
  const asked = answer(200, { status: 'pending', needs: 'approver', deciders, expires_in: 1_800 })
  const pending = Array.from({ length: 12 }, () => 'waits' as const)
  const { done, others, starts } = scene([asked, ...pending, READY])
  expect(await done).toBe('Ym94')
  expect(others).toEqual([{ ...deciders, deadlineMs: 1_000_000 + 1_800_000 }])
  expect(starts.at(-1)).toBeGreaterThan(300_000)
})

test('a need that this client does not know is refused', async () => {
  const { done } = scene([answer(200, { status: 'pending', needs: 'a_fax' })])
  await expect(done).rejects.toThrow('does not support what the request needs')
})
