// @vitest-environment happy-dom
import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { showHook } from '../../test/shown.ts'
import { keepChoice, keptChoice } from './kept.ts'
import type { Choice } from './request-state.ts'
import { useRequest } from './use-request.ts'

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()
const CONTEXT = { status: 'pending', user_code: 'WDJB-MJHT', expires_at: at(300_000) }
const READY = { ...CONTEXT, status: 'ready' }
const HELD = { ...CONTEXT, status: 'held', held: { by: 'code', until: at(60_000) } }
const ME = { user_id: 'u1', username: 'kim', email: 'kim@example.com', email_verified: true }
const WORKSPACES = [{ id: 'w1', name: 'Acme' }]
const CANDIDATES = [{ workspace: WORKSPACES[0], bundle: { id: 'b1', name: 'dev/app' } }]
const CHOICE: Choice = {
  kind: 'delivery',
  workspaceId: 'w1',
  bundle: { id: 'b1', name: 'dev/app' },
  keys: ['A'],
  isSecond: false,
}
const KEPT = { ...CHOICE, mayBeLater: false, untilMs: NOW + 300_000 }
const GONE = refused(404, 'not_found')

let ends: (() => void)[] = []

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  sessionStorage.clear()
})

afterEach(() => {
  for (const end of ends) end()
  ends = []
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function refused(status: number, code: string) {
  return { refused: { error: 'x', code }, status }
}

type Answers = { context: object; me?: object; kept?: Choice }

/** The request on a page, for which the server has these answers. */
async function opened({ context, me = ME, kept }: Answers) {
  const asked: string[] = []
  const watches = new Map<object, () => void>()
  const watch = (look: () => void, ms: number) => {
    const id = { ms }
    watches.set(id, look)
    return id
  }
  const answers: Record<string, object> = { context, candidates: CANDIDATES, me, tenants: WORKSPACES }
  const answer = async (url: string) => {
    const name = new URL(url, 'https://keyferry.example').pathname.split('/').at(-1) ?? ''
    asked.push(name)
    const found = answers[name] ?? answers['context'] ?? {}
    if ('refused' in found && 'status' in found)
      return Response.json(found.refused, { status: Number(found.status) })
    return Response.json(found)
  }
  vi.stubGlobal('fetch', answer)
  vi.stubGlobal('setInterval', watch)
  vi.stubGlobal('clearInterval', (id: object) => void watches.delete(id))
  if (kept !== undefined) keepChoice('r1', kept)
  const { now, end } = showHook(() => useRequest('r1'))
  ends.push(end)
  const settled = async () => {
    await act(async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    })
    return now().state
  }
  const look = async (next: object) => {
    answers['context'] = next
    asked.length = 0
    act(() => {
      for (const each of Array.from(watches.values())) each()
    })
    const state = await settled()
    return { state, asked: [...asked] }
  }
  const state = await settled()
  return { state, asked: [...asked], look, every: () => [...watches.keys()], request: now, settled }
}

const OPEN = {
  phase: 'open',
  context: CONTEXT,
  candidates: CANDIDATES,
  person: { account: 'kim@example.com', signsIn: true, workspaces: WORKSPACES },
}

test('all that a decision needs is asked for at once', async () => {
  const { state, asked, every } = await opened({ context: CONTEXT })
  expect(state).toEqual(OPEN)
  expect(asked).toHaveLength(4)
  expect(every()).toEqual([{ ms: 3_000 }])
})

test.each<[string, object, object]>([
  ['an address that is not verified', { ...ME, email_verified: false }, { account: 'kim', signsIn: true }],
  ['no accounts', { ...ME, auth_mode: 'local' }, { account: 'kim', signsIn: false }],
])('with %s, a person is called by their name', async (_, me, person) => {
  const { state } = await opened({ context: CONTEXT, me })
  expect(state).toMatchObject({ person })
})

const SECOND = { ...CONTEXT, awaits_second: true }
const VOUCHED = { ...CONTEXT, vouch: 'returned' }
const VOUCH: Choice = { ...CHOICE, kind: 'vouch' }

test.each<[string, Answers, object, number[]]>([
  ['another tab approved', { context: READY }, { phase: 'ended', end: 'already_approved' }, []],
  [
    'this tab approved',
    { context: READY, kept: KEPT },
    { phase: 'approved', expiresAt: READY.expires_at, choice: KEPT, delivered: false },
    [1_000],
  ],
  [
    'it waits for its return',
    { context: HELD, kept: KEPT },
    { phase: 'held', choice: KEPT, by: 'code', untilMs: NOW + 60_000, isKept: false, isReturning: false },
    [1_000],
  ],
  [
    'the terminal asks its person first',
    { context: { ...HELD, held: { ...HELD.held, kept: true } } },
    { phase: 'held', choice: null, code: null, isKept: true },
    [1_000],
  ],
  ['a second person decides', { context: SECOND, kept: KEPT }, { phase: 'second', choice: KEPT }, [3_000]],
  ['the first was in another tab', { context: SECOND }, { phase: 'open' }, [3_000]],
  ['a vouch returned', { context: VOUCHED, kept: VOUCH }, { phase: 'second' }, [3_000]],
  ['a vouch of another person returned', { context: VOUCHED, kept: KEPT }, { phase: 'open' }, [3_000]],
  ['a vouch has not returned', { context: CONTEXT, kept: VOUCH }, { phase: 'open' }, [3_000]],
  ['it is unknown', { context: GONE }, { phase: 'ended', end: 'gone' }, []],
  [
    'the terminal has fetched it',
    { context: GONE, kept: KEPT },
    { phase: 'approved', expiresAt: '', choice: KEPT, delivered: true },
    [],
  ],
  [
    'it has expired since',
    { context: GONE, kept: { ...KEPT, untilMs: NOW } },
    { phase: 'ended', end: 'gone' },
    [],
  ],
  ['the server has a fault', { context: refused(500, 'x') }, { phase: 'ended', end: 'unreachable' }, []],
])('a page that opens while %s', async (_, answers, state, watched) => {
  const page = await opened(answers)
  expect(page.state).toMatchObject(state)
  expect(page.every()).toEqual(watched.map((ms) => ({ ms })))
})

const EXPIRED = { ...CONTEXT, expires_at: at(-1) }
const DEPOSIT: Choice = { ...KEPT, kind: 'deposit' }

test.each<[string, Answers, object, object, number]>([
  ['nothing happened', { context: CONTEXT }, CONTEXT, OPEN, 1],
  ['another person approved it', { context: CONTEXT }, READY, { end: 'already_approved' }, 1],
  ['another person vouched', { context: CONTEXT }, { ...CONTEXT, vouch: 'open' }, { phase: 'open' }, 5],
  ['the vouch is the same', { context: VOUCHED }, VOUCHED, { phase: 'open' }, 1],
  ['the command stopped', { context: CONTEXT }, { ...CONTEXT, left_at: at(0) }, { phase: 'open' }, 5],
  ['it is gone', { context: CONTEXT }, GONE, { phase: 'ended', end: 'gone' }, 1],
  ['it expired', { context: EXPIRED }, GONE, { phase: 'ended', end: 'expired' }, 1],
  [
    'it was denied',
    { context: CONTEXT },
    refused(404, 'request_denied'),
    { phase: 'ended', end: 'denied' },
    1,
  ],
  ['the server has a fault', { context: CONTEXT }, refused(500, 'x'), OPEN, 1],
  [
    'the terminal asks',
    { context: HELD },
    { ...HELD, held: { ...HELD.held, kept: true } },
    { isKept: true },
    1,
  ],
  ['it returned', { context: HELD, kept: KEPT }, READY, { phase: 'approved', delivered: false }, 1],
  ['nothing returned', { context: HELD, kept: KEPT }, CONTEXT, { phase: 'held' }, 1],
  ['a plan has changed', { context: HELD, kept: DEPOSIT }, CONTEXT, { phase: 'open' }, 5],
  [
    'a proposal is open again',
    { context: HELD, kept: { ...KEPT, kind: 'proposal' } },
    CONTEXT,
    { phase: 'open' },
    5,
  ],
  ['it was fetched', { context: READY, kept: KEPT }, GONE, { phase: 'approved', delivered: true }, 1],
  [
    'nobody fetched it',
    { context: { ...READY, expires_at: at(-1) }, kept: KEPT },
    GONE,
    { end: 'not_collected' },
    1,
  ],
  [
    'it expired on its way',
    { context: { ...HELD, expires_at: at(-1) }, kept: KEPT },
    GONE,
    { end: 'expired' },
    1,
  ],
  [
    'it was stopped',
    { context: HELD, kept: KEPT },
    refused(404, 'request_withdrawn'),
    { end: 'withdrawn' },
    1,
  ],
  ['another tab fetched it', { context: HELD }, GONE, { phase: 'ended', end: 'gone' }, 1],
  ['it waits for the second person', { context: SECOND, kept: KEPT }, SECOND, { phase: 'second' }, 1],
  ['the second person approved', { context: SECOND, kept: KEPT }, READY, { phase: 'approved' }, 1],
])('a look finds that %s', async (_, answers, next, state, calls) => {
  const page = await opened(answers)
  const seen = await page.look(next)
  expect(seen.state).toMatchObject(state)
  expect(seen.asked).toHaveLength(calls)
})

test('what the person has begun stays while looks find nothing new', async () => {
  const { state, look } = await opened({ context: HELD, kept: KEPT })
  expect((await look({ ...HELD })).state).toBe(state)
})

test('a tab that saw the delivery says so for ever', async () => {
  const { look } = await opened({ context: READY, kept: { ...KEPT, untilMs: NOW } })
  await look(GONE)
  const again = await opened({ context: GONE })
  expect(again.state).toMatchObject({ phase: 'approved', delivered: true })
})

test.each<[string, string | null]>([
  ['denied', null],
  ['unreachable', 'the way'],
])('after the end %s, the kept way back is %s', async (end, kept) => {
  const { request } = await opened({ context: CONTEXT })
  sessionStorage.setItem('keyferry:way-back:r1', 'the way')
  act(() => request().end(end as 'denied'))
  expect(request().state).toEqual({ phase: 'ended', end })
  expect(sessionStorage.getItem('keyferry:way-back:r1')).toBe(kept)
})

test('this tab keeps what it approved: until the request expires, then for ever if it saw the delivery', async () => {
  const { request, look, every } = await opened({ context: CONTEXT })
  act(() => request().approved(CONTEXT as never, CHOICE, {} as never))
  expect([keptChoice('r1'), every()]).toEqual([KEPT, [{ ms: 1_000 }]])
  await look(GONE)
  expect(keptChoice('r1')).toEqual({ ...KEPT, untilMs: Number.MAX_SAFE_INTEGER })
})

test('a page that loads again shows nothing until all is there', async () => {
  const { request, settled } = await opened({ context: CONTEXT })
  act(() => request().reload())
  expect(request().state).toEqual({ phase: 'loading' })
  expect(await settled()).toEqual(OPEN)
})
