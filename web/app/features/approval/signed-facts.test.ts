import { expect, test } from 'vitest'
import { isStatementOf } from './signed-facts.ts'

const SHOWN = { argv: ['npm', 'start'], cwd: '/app' }
const SENT = { request_id: 'r', bundle_id: 'b', include_keys: ['URL', 'HOST'], release: 'loopback' }
const STATEMENT = {
  request: { id: 'r', argv: ['npm', 'start'], cwd: '/app' },
  bundle: { id: 'b', name: 'prod/app' },
  keys: [{ name: 'HOST' }, { name: 'URL' }],
  way: 'loopback',
}

test('a statement that says what the page shows is signed', () => {
  expect(isStatementOf(STATEMENT, SENT, SHOWN)).toBe(true)
  const bare = { ...STATEMENT, request: { id: 'r' } }
  expect([null, { argv: null, cwd: null }].map((shown) => isStatementOf(bare, SENT, shown))).toEqual([
    true,
    true,
  ])
  const typed = [{ name: 'STRIPE_KEY', value: 's', is_secret: true, propose: false }]
  expect(isStatementOf(STATEMENT, { ...SENT, typed }, SHOWN)).toBe(false)
  expect(isStatementOf({ ...STATEMENT, typed: ['STRIPE_KEY'] }, { ...SENT, typed }, SHOWN)).toBe(true)
  const deposit = { request: STATEMENT.request, plan_id: 'p', way: null }
  expect(isStatementOf(deposit, { request_id: 'r', plan_id: 'p' }, SHOWN)).toBe(true)
})

test.each([
  { request: { ...STATEMENT.request, id: 'other' } },
  { request: { ...STATEMENT.request, argv: ['npm', 'stop'] } },
  { request: { ...STATEMENT.request, cwd: '/other' } },
  { request: null },
  { bundle: { id: 'other', name: 'prod/app' } },
  { keys: [{ name: 'URL' }] },
  { keys: [{ name: 'HOST' }, { name: 'URL' }, { name: 'MORE' }] },
  { way: 'code' },
  { typed: ['STRIPE_KEY'] },
])('with %j instead it is not', (changed) => {
  expect(isStatementOf({ ...STATEMENT, ...changed }, SENT, SHOWN)).toBe(false)
})
