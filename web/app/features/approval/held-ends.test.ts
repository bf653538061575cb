// @vitest-environment happy-dom
import { act, createElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WORKSPACE_HEADER } from '../../lib/calls/workspace.ts'
import { show } from '../../test/shown.ts'
import { Held } from './held.tsx'

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const CHOICE = {
  workspaceId: 'w1',
  bundle: { id: 'b1', name: 'dev/app' },
  keys: ['A'],
  isSecond: false,
  mayBeLater: true,
}

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const buttons = () => [...document.querySelectorAll('button')]

/** What happens after a press on a button of an approval that has not returned. */
async function pressed(label: string, answer: Response, choice: object | null = CHOICE) {
  const done: unknown[] = []
  const said =
    (what: string) =>
    (...given: unknown[]) =>
      void done.push([what, ...given])
  const answered = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', async (url: string, { method, body, headers }: RequestInit) => {
    const workspace = new Headers(headers).get(WORKSPACE_HEADER)
    done.push([`${method} ${url}`, workspace, typeof body === 'string' ? JSON.parse(body) : null])
    return await answered.promise
  })
  const context = { expires_at: new Date(NOW + 60_000).toISOString(), release: ['code'] }
  const request = { context, choice, by: 'code', code: null, untilMs: 0, isKept: false, isReturning: false }
  const props = { requestId: 'r1', request, onCode: said('code'), onEnd: said('end') } as never
  const end = show(createElement(Held, props))
  try {
    const button = buttons().find(({ textContent }) => textContent === label)
    if (button === undefined) return null
    act(() => button.click())
    expect(new Set(buttons().map((each) => each.getAttribute('aria-busy')))).toEqual(new Set(['true']))
    await act(async () => {
      answered.resolve(answer)
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    })
    const isBusy = buttons().some((each) => each.getAttribute('aria-busy') === 'true')
    return { done, isBusy, text: document.querySelector('[role=alert]')?.textContent ?? null }
  } finally {
    end()
  }
}

const REQUEST = '/api/v1/requests/r1'
const CODE = { release: { by: 'code', code: '123 456', expires_in: 60 } }
const refused = (status: number, error: string) => Response.json({ error, code: 'x' }, { status })

test('the time of a fresh code begins when it comes', async () => {
  const { done, text } = (await pressed('Get a code', Response.json(CODE))) ?? {}
  expect(done).toEqual([
    [`POST ${REQUEST}/release-code`, 'w1', null],
    ['code', '123 456', NOW + 60_000],
  ])
  expect(text).toBeNull()
})

test('the next run of the command gets what was chosen', async () => {
  const { done } = (await pressed('Once', Response.json({}))) ?? {}
  expect(done).toEqual([
    [`POST ${REQUEST}/encrypt-from-bundle`, 'w1', { bundle_id: 'b1', include_keys: ['A'], later: true }],
    ['end', 'later'],
  ])
})

test.each<[string, object | null]>([
  ['approved elsewhere', null],
  ['whose next run cannot', { ...CHOICE, mayBeLater: false }],
])('a request %s offers no next run', async (_, choice) => {
  expect(await pressed('Once', Response.json({}), choice)).toBeNull()
})

test('Deny ends it, also where another tab approved', async () => {
  const { done } = (await pressed('Deny', Response.json({}), null)) ?? {}
  expect(done).toEqual([
    [`DELETE ${REQUEST}`, null, null],
    ['end', 'denied'],
  ])
})

test('what is gone ends; any other refusal is said, and the person can try again', async () => {
  const gone = await pressed('Deny', refused(404, 'request not found'))
  expect([gone?.done.at(-1), gone?.text]).toEqual([['end', 'gone'], null])
  const conflict = await pressed('Get a code', refused(409, 'no code is possible'))
  expect([conflict?.done.length, conflict?.text, conflict?.isBusy]).toEqual([
    1,
    'No code is possible.',
    false,
  ])
})
