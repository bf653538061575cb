import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import type { Exchange } from '../base/exchange.ts'
import type { Environment, Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import type { Notice, WaitingView } from '../terminal/waiting-view.ts'
import { giveCode } from './release-socket.ts'
import { openWayBack, type WayBack } from './way-back.ts'

const ID = '7f9c2ba4e88f827d616045507605853e'
const CODE = '482913'

let folder: string
const opened: WayBack[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-back-'))
})

afterEach(() => {
  for (const wayBack of opened.splice(0)) wayBack.end()
  rmSync(folder, { recursive: true })
})

const pending: PendingRequest = {
  server: 'https://keyferry.example.com',
  id: ID,
  keyPair: generateKeyPair(),
  verifier: 'v',
  approvalUrl: `https://keyferry.example.com/approve/${ID}`,
  shownUrl: `https://keyferry.example.com/approve/${ID}`,
  userCode: 'WDJB-MJHT',
  intervalMs: 3_000,
  lifetimeMs: 300_000,
  deadlineMs: 300_000,
  remembered: null,
  whyNotRemembered: null,
  mayLeave: false,
  epoch: null,
}

// A server that takes one code; the third wrong one ends the request.
function releasing(): Exchange {
  let left = 3
  return async ({ body = '{}' }) => {
    const { secret } = JSON.parse(body) as { secret: string }
    if (secret !== CODE) left -= 1
    const wrong = { error: 'wrong', code: 'release_wrong', details: { attempts_left: left } }
    const answer = secret === CODE ? { ok: true } : wrong
    const status = secret === CODE ? 200 : 400
    return {
      status,
      body: JSON.stringify(answer),
      retryAfterMs: null,
      dateMs: null,
      location: null,
    }
  }
}

function parts(changes: Partial<Parts> = {}, env: Environment = {}): Parts {
  const exchange = releasing()
  return { ...stage({ XDG_RUNTIME_DIR: folder, ...env }, '/'), exchange, ...changes }
}

const ignore = (): void => undefined

type RecordedView = { readonly view: WaitingView; readonly lines: string[] }

function newView(): RecordedView {
  const lines: string[] = []
  const view = {
    requested: ignore,
    trouble: ignore,
    recovered: ignore,
    say: ({ event, text }: Notice) => void lines.push(WORDS[event.event]?.(event) ?? text),
    finished: ignore,
    dropped: ignore,
    end: ignore,
  }
  return { lines, view }
}

const WORDS: Readonly<Record<string, (event: Notice['event']) => string>> = {
  release_needed: ({ command }) => `needed: ${String(command)}`,
  release_refused: ({ reason }) => String(reason),
}

async function open(opensBrowser: boolean, at: Parts, view: Parts['view'] = 'person'): Promise<WayBack> {
  const wayBack = await openWayBack({ opensBrowser }, { ...at, view })
  opened.push(wayBack)
  return wayBack
}

test('loopback is offered only where a browser of this machine opens', async () => {
  expect((await open(true, parts())).offered).toEqual(['loopback', 'code'])
  expect((await open(false, parts())).offered).toEqual(['code'])
  expect((await open(true, parts({}, { CODESPACES: 'true' }))).offered).toEqual(['code'])
  expect((await open(true, parts({}, { SSH_CONNECTION: 'a b' }))).offered).toEqual(['code'])
  expect((await open(true, parts({}, { SSH_CLIENT: 'a b c' }))).offered).toEqual(['code'])
  expect((await open(false, parts({ platform: 'win32' }))).offered).toEqual([])
})

test('the browser opens the listener, or the page itself', async () => {
  expect((await open(true, parts())).begin(pending, newView().view, true)).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/k\//,
  )
  expect((await open(false, parts())).begin(pending, newView().view, true)).toBe(pending.approvalUrl)
})

test.each([
  ['linux', 'if none does, open the link yourself'],
  ['win32', 'to approve on another computer, stop and add --no-open'],
] as const)('a browser on another machine is reported, on %s: %s', async (platform, what) => {
  const at = parts({ platform })
  const recorder = newView()
  const wayBack = await open(true, { ...at, clock: { ...at.clock, sleep: async () => undefined } })
  wayBack.begin(pending, recorder.view, true)
  await expect.poll(() => recorder.lines).toEqual([`no browser here has opened the page yet; ${what}`])
})

test('a browser that reached this machine is not reported', async () => {
  const at = parts()
  const recorder = newView()
  const { promise: over, resolve: end } = withResolvers<void>()
  const wayBack = await open(true, { ...at, clock: { ...at.clock, sleep: () => over } })
  const address = wayBack.begin(pending, recorder.view, true)
  await fetch(address, { redirect: 'manual' })
  end()
  await new Promise((resolve) => setImmediate(resolve))
  expect(recorder.lines).toEqual([])
})

test('the code is asked for at the terminal until it is right', async () => {
  const typed = ['48', '111 111', '482 913']
  const keyboard = {
    isThere: () => true,
    ask: () => null,
    askHidden: async () => null,
    askUntil: async () => typed.shift() ?? null,
  }
  const recorder = newView()
  const wayBack = await open(false, parts({ keyboard }))
  wayBack.begin(pending, recorder.view, true)
  void wayBack.onNeeds('code')
  await expect.poll(() => typed).toEqual([])
  expect(recorder.lines).toEqual([
    'needed: null',
    'the code of the page has six digits',
    'that is not the code of the page; 2 tries left',
  ])
})

test('without a keyboard, another shell of the same user gives the code', async () => {
  const at = parts()
  const recorder = newView()
  const wayBack = await open(false, at, 'json')
  wayBack.begin(pending, recorder.view, true)
  void wayBack.onNeeds('code')
  await expect.poll(() => recorder.lines).toEqual([`needed: keyferry release ${ID} CODE`])
  expect(await giveCode(ID, '111111', at)).toBe('that is not the code of the page; 2 tries left')
  expect(await giveCode(ID, '1'.repeat(100), at)).toBe('the waiting client did not answer')
  expect(await giveCode(ID, '482-913', at)).toBe('ok')
  wayBack.end()
  expect(await giveCode(ID, CODE, at)).toBeNull()
})

test('beside the keyboard, another shell may give the code too', async () => {
  const keyboard = {
    isThere: () => true,
    ask: () => null,
    askHidden: async () => null,
    askUntil: () => new Promise<null>(() => undefined),
  }
  const at = parts({ keyboard })
  const recorder = newView()
  const wayBack = await open(false, at)
  wayBack.begin(pending, recorder.view, true)
  void wayBack.onNeeds('code')
  await expect.poll(() => recorder.lines).toEqual(['needed: null'])
  expect(await giveCode(ID, CODE, at)).toBe('ok')
})

test('a second code can be needed, once the first was taken', async () => {
  const typed = [CODE, CODE]
  const keyboard: Parts['keyboard'] = {
    isThere: () => true,
    ask: () => null,
    askHidden: async () => null,
    askUntil: async () => typed.pop() ?? null,
  }
  const recorder = newView()
  const wayBack = await open(false, parts({ keyboard }))
  wayBack.begin(pending, recorder.view, true)
  void wayBack.onNeeds('code')
  await expect.poll(() => typed).toHaveLength(1)
  void wayBack.onNeeds('approver')
  await expect
    .poll(() => {
      void wayBack.onNeeds('code')
      return recorder.lines
    })
    .toEqual(['needed: null', 'needed: null'])
})

test('it is settled when the other shell has its answer', async () => {
  const asked = withResolvers<void>()
  const mayAnswer = withResolvers<void>()
  const exchange: Exchange = async (request) => {
    asked.resolve()
    await mayAnswer.promise
    return await releasing()(request)
  }
  const at = parts({ exchange })
  const recorder = newView()
  const wayBack = await open(false, at, 'json')
  wayBack.begin(pending, recorder.view, true)
  void wayBack.onNeeds('code')
  await expect.poll(() => recorder.lines).toHaveLength(1)
  const order: (string | null)[] = []
  const given = giveCode(ID, CODE, at).then((answer) => order.push(answer))
  await asked.promise
  const settled = wayBack.settled().then(() => order.push('settled'))
  mayAnswer.resolve()
  await Promise.all([given, settled])
  expect(order).toEqual(['ok', 'settled'])
})

test('a client that opens no page does not report that no browser came', async () => {
  const at = parts()
  const recorder = newView()
  const wayBack = await open(true, { ...at, clock: { ...at.clock, sleep: async () => undefined } })
  wayBack.begin(pending, recorder.view, false)
  // Nothing follows that could be awaited. On a busy machine this shows less, and never fails.
  await new Promise((resolve) => void setTimeout(resolve, 20))
  expect(recorder.lines).toEqual([])
})
