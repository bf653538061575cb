import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RequestContext } from '../../lib/calls/answers.ts'
import { CheckCode } from './check-code.tsx'
import { Held } from './held.tsx'
import { Ended } from './outcome.tsx'
import { ReasonFacts, ReasonRibbons } from './request/reason-facts.tsx'
import { reasonsOf } from './request/reasons.tsx'
import type { Choice, HeldRequest } from './request-state.ts'
import { nextStepOf } from './return-plan.ts'

const CONTEXT: RequestContext = {
  cli_pubkey: '',
  suggested_bundle_id: null,
  workspace: null,
  template_keys: [],
  requester_meta: { ip: '', user_agent: '', requested_at: '2026-01-31T12:00:00.000Z', format: 'sh' },
  status: 'pending',
  user_code: 'WDJB-MJHT',
  viewer_ip: '',
  same_network: true,
  expires_at: '2026-01-31T12:05:00.000Z',
  release: ['loopback', 'code'],
}
const CHOICE: Choice = {
  workspaceId: '1',
  bundle: { id: '2', name: 'dev/app' },
  keys: ['A'],
  kind: 'delivery',
  isSecond: true,
}
const HELD: HeldRequest = {
  context: CONTEXT,
  choice: CHOICE,
  by: 'code',
  code: 'WDJB-MJHT',
  untilMs: Infinity,
  isKept: false,
  isReturning: false,
}
const OWN = /your (own )?terminal|you (just )?ran/i

const textOf = <Props extends object>(of: FunctionComponent<Props>, props: Props) =>
  renderToStaticMarkup(createElement(of, props))

const nothing = () => undefined
const held = (changes: Partial<HeldRequest>) =>
  textOf(Held, { requestId: '3', request: { ...HELD, ...changes }, onCode: nothing, onEnd: nothing })

const field = { onType: nothing, problem: null, inputRef: { current: null } }
const checkCode = (isSecond: boolean, typed: string | null) =>
  textOf(CheckCode, { code: 'WDJB-MJHT', isSecond, nextStep: null, field: { ...field, typed } })

const place = { workspace: null, workspaceName: null }
const asking = {
  requestId: '3',
  request: { context: CONTEXT, candidates: [], person: { account: 'kim', signsIn: true, workspaces: [] } },
  openedByLink: true,
  wayBack: null,
  onApproved: nothing,
  onEnd: nothing,
}
const warnings = (changes: { hasVouched: boolean; isLured: boolean; isSecond: boolean }) => {
  const reasons = reasonsOf({
    asking,
    place,
    offer: { bundle: null },
    plan: { by: 'none' },
    isUnbound: true,
    leaveOut: null,
    ...changes,
  })
  return textOf(ReasonRibbons, { ...reasons, change: null }) + textOf(ReasonFacts, reasons)
}

const LURED = { hasVouched: false, isLured: true, isSecond: true }
const context = { ...CONTEXT, vouch: 'returned' as const }

test.each([
  ['the check code', checkCode(true, null)],
  ['the check code to type', checkCode(true, '')],
  ['the warning of a link', warnings(LURED)],
  ['the way back', held({ by: 'loopback', code: null, isReturning: true })],
  ['the code', held({})],
  ['the code in another tab', held({ choice: null })],
  ['the code in another tab, after a vouch', held({ choice: null, context })],
  ['an approval that did not return', held({ code: null })],
  ['an expired request', textOf(Ended, { end: 'expired', onRetry: nothing })],
  ['a used request', textOf(Ended, { end: 'gone', onRetry: nothing })],
  ['an approval that was not collected', textOf(Ended, { end: 'not_collected', onRetry: nothing })],
  ['the next step', nextStepOf({ by: 'code' }, true) ?? ''],
])('a second approver never reads of their own terminal: %s', (_, text) => {
  expect(text).not.toBe('')
  expect(text).not.toMatch(OWN)
})

test('the person who ran the command does', () => {
  const own = { choice: { ...CHOICE, isSecond: false } }
  for (const text of [checkCode(false, null), warnings({ ...LURED, isSecond: false }), held(own)])
    expect(text).toMatch(OWN)
})

test('a person who gets the code of another terminal reads who may have it', () => {
  expect(held({ choice: null, context })).toContain('only to the person who ran the command')
  expect(held({ choice: null })).toContain('Give this code to no one')
})

const NOT_RETURNED = { by: 'loopback', code: null } as const

test.each([
  ['a terminal that takes a code', {}, 'If the terminal is still waiting, use a code.'],
  [
    'a command that may have stopped',
    { choice: { ...CHOICE, mayBeLater: true } },
    'let it run once when it asks again.',
  ],
])('an approval that did not return says what to do: %s', (_, changes, hint) => {
  expect(held({ ...NOT_RETURNED, ...changes })).toContain(hint)
})

test('a terminal that takes no code gets no hint of one', () => {
  expect(held({ ...NOT_RETURNED, context: { ...CONTEXT, release: ['loopback'] } })).not.toContain('code.')
})
