import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { onPage } from '../../test/static-words.ts'
import type { Choice } from './request-state.ts'
import { useRequest } from './use-request.ts'

onPage('https://keyferry.example/approve/r1')

type Request = ReturnType<typeof useRequest>

/** The state of the page after these steps, which follow each other while it renders. */
function stateAfter(...steps: readonly ((request: Request) => void)[]): Request['state'] {
  const left = [...steps]
  let state: Request['state'] = { phase: 'loading' }
  const Page = () => {
    const request = useRequest('r1')
    left.shift()?.(request)
    state = request.state
    return null
  }
  renderToStaticMarkup(createElement(Page))
  return state
}

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const EXPIRES = new Date(NOW + 300_000).toISOString()
const CONTEXT = { user_code: 'WDJB-MJHT', expires_at: EXPIRES } as Parameters<Request['approved']>[0]
const CHOICE: Choice = {
  workspaceId: 'w1',
  bundle: { id: 'b1', name: 'dev/app' },
  keys: ['A'],
  kind: 'delivery',
  isSecond: false,
}
const approved = (answer: object) => (request: Request) =>
  request.approved(CONTEXT, CHOICE, answer as Parameters<Request['approved']>[2])

test.each<[string, object, object]>([
  ['it returns at once', {}, { phase: 'approved', expiresAt: EXPIRES, choice: CHOICE, delivered: false }],
  ['another person decides', { approvals: { given: 1, needed: 2 } }, { phase: 'second', choice: CHOICE }],
  ['it was the last', { approvals: { given: 2, needed: 2 } }, { phase: 'approved' }],
  ['it waits for the next run', { later_until: EXPIRES }, { phase: 'ended', end: 'later' }],
  [
    'a code is typed within a minute',
    { release: { by: 'code', code: '123 456', expires_in: 60 } },
    { phase: 'held', by: 'code', code: '123 456', isReturning: false, isKept: false, untilMs: NOW + 60_000 },
  ],
  [
    'it returns to this computer within ten seconds',
    { release: { by: 'loopback', secret: 's', expires_in: 10 } },
    { phase: 'held', by: 'loopback', code: null, isReturning: true, isKept: false, untilMs: NOW + 10_000 },
  ],
])('after an approval: %s', (_, answer, state) => {
  expect(stateAfter(approved(answer))).toMatchObject(state)
})

const again = ({ recoded }: Request) => recoded('654 321', 7)

test('a new code replaces the one of an approval that is held, and only of such', () => {
  const held = approved({ release: { by: 'loopback', secret: 's', expires_in: 10 } })
  expect(stateAfter(held, again)).toMatchObject({ phase: 'held', by: 'code', code: '654 321', untilMs: 7 })
  expect(stateAfter(approved({}), again)).toMatchObject({ phase: 'approved' })
})
