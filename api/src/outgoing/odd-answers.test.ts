import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ODD_ANSWERS, startOddServer } from '../../../plumbing/test/odd-server.ts'
import { Guard } from './guard.ts'
import { guardedGet, guardedPost } from './guarded-call.ts'

const guard = new Guard({ ownNetworks: ['127.0.0.1'], ownStores: [] })
const TIMES = { timeoutMs: 300 }

const wordOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ word }) => word,
  )

describe.each(Object.entries(ODD_ANSWERS))('a server that answers with %s', (_name, answer) => {
  let odd: Awaited<ReturnType<typeof startOddServer>>
  let url: string
  beforeEach(async () => {
    odd = await startOddServer(answer)
    url = `http://127.0.0.1:${odd.port}/`
  })
  afterEach(() => odd.close())

  test('cannot keep a read beyond its deadline', async () => {
    const word = await wordOf(guardedGet(guard, { ...TIMES, url, maxBytes: 1_024 }))
    expect(word).toMatch(/^(timeout|refused|too_large|answered)$/)
  })

  test('cannot keep a message beyond its deadline', async () => {
    const word = await wordOf(guardedPost(guard, { ...TIMES, url, headers: {}, body: '{}' }))
    expect(word).toMatch(/^(timeout|refused|answered)$/)
  })
})

// A proxy is the operator's own, so it floods nobody.
test.each(['silence', 'half a head', '101 with an upgrade', '101 and a close', 'a close at once'])(
  'a proxy that answers with %s cannot keep a call beyond its deadline',
  async (name) => {
    const odd = await startOddServer(ODD_ANSWERS[name] ?? (() => {}))
    const proxied = new Guard({ ownNetworks: [], ownStores: [], proxy: `http://127.0.0.1:${odd.port}` })
    const call = { ...TIMES, url: 'https://receiver.example/', maxBytes: 1 }
    expect(await wordOf(guardedGet(proxied, call))).toMatch(/^(timeout|refused)$/)
    odd.close()
  },
)

test('a name server that does not answer cannot keep a call beyond its deadline', async () => {
  const silent = new Guard({ ownNetworks: [], ownStores: [], resolve: () => new Promise(() => {}) })
  const call = { ...TIMES, url: 'https://receiver.example/', maxBytes: 1 }
  expect(await wordOf(guardedGet(silent, call))).toBe('timeout')
})
