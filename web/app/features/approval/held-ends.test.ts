import { type FunctionComponent, isValidElement, type ReactElement } from 'react'
import { expect, test, vi } from 'vitest'
import { WORKSPACE_HEADER } from '../../lib/calls/workspace.ts'
import { runHook } from '../../test/run-hook.ts'
import { onPage } from '../../test/static-words.ts'
import { Held } from './held.tsx'

onPage('https://keyferry.example/approve/r1')

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const CHOICE = {
  workspaceId: 'w1',
  bundle: { id: 'b1', name: 'dev/app' },
  keys: ['A'],
  isSecond: false,
  mayBeLater: true,
}

type Props = Record<string, unknown> & { children?: unknown }
type Drawn = ReactElement<Props, FunctionComponent<Props>>

const elementsIn = (node: unknown): Drawn[] => {
  if (Array.isArray(node)) return node.flatMap(elementsIn)
  return isValidElement<Props>(node) ? [node as Drawn, ...elementsIn(node.props.children)] : []
}

/** What happens after a press on a button of an approval that has not returned. */
async function pressed(label: string, answer: Response, choice: object | null = CHOICE) {
  const done: unknown[] = []
  const said =
    (what: string) =>
    (...given: unknown[]) =>
      void done.push([what, ...given])
  vi.stubGlobal('setInterval', () => 0)
  vi.stubGlobal('fetch', async (url: string, { method, body, headers }: RequestInit) => {
    const workspace = new Headers(headers).get(WORKSPACE_HEADER)
    done.push([`${method} ${url}`, workspace, typeof body === 'string' ? JSON.parse(body) : null])
    return answer
  })
  const context = { expires_at: new Date(NOW + 60_000).toISOString(), release: ['code'] }
  const request = { context, choice, by: 'code', code: null, untilMs: 0, isKept: false, isReturning: false }
  const props = { requestId: 'r1', request, onCode: said('code'), onEnd: said('end') } as never
  const [notReturned] = elementsIn(runHook(() => Held(props)).now())
  const ends = elementsIn(notReturned?.type(notReturned.props)).find(({ type }) => type.name === 'EndButtons')
  const shown = runHook(() => ends?.type(ends.props)).now
  const button = elementsIn(shown()).find(({ props: { label: of } }) => of === label)
  if (typeof button?.props['onClick'] !== 'function') return null
  button.props['onClick']()
  const busy = elementsIn(shown()).flatMap(({ props: { busy: is } }) => (is === undefined ? [] : [is]))
  expect(new Set(busy)).toEqual(new Set([true]))
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  const text = elementsIn(shown()).find(({ type }) => type.name === 'Problem')?.props['text']
  return { done, text }
}

const REQUEST = '/api/v1/requests/r1'
const CODE = { release: { by: 'code', code: '123 456', expires_in: 60 } }
const refused = (status: number, error: string) => Response.json({ error, code: 'x' }, { status })

test('a fresh code works from now on', async () => {
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
  expect([conflict?.done.length, conflict?.text]).toEqual([1, 'No code is possible.'])
})
