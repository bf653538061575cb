import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { onPage } from '../../test/static-words.ts'
import type { ApprovalOffer } from './offer.ts'
import type { RequestView } from './request-state.ts'
import { useDecision } from './use-decision.ts'

onPage('https://keyferry.example/approve/r1')

type Decision = ReturnType<typeof useDecision>

const PLACE = { workspaceId: 'w1', bundleId: 'b1' }
const BUNDLE = { id: 'b1', name: 'dev/app' }
const VOUCH = { person: { id: 'u2', name: 'sam' } }

type Given = { rules?: object; offer?: object; asking?: object; context?: object; place?: object }

/** What a person can decide after these steps, which follow each other while the page renders, and what was sent. */
function decided(given: Given, ...steps: readonly ((decision: Decision) => void)[]) {
  const sent: unknown[] = []
  const approval = {
    bundle: BUNDLE,
    keys: ['PORT'],
    send: async (...call: unknown[]) => {
      sent.push(call)
      return {}
    },
  }
  const context = { user_code: 'WDJB-MJHT', release: ['loopback', 'code'], suggested_bundle_id: 'dev/app' }
  const asking = {
    requestId: 'r1',
    request: { context: { ...context, ...given.context }, candidates: [], person: { signsIn: true } },
    openedByLink: false,
    wayBack: null,
    onApproved: (...approved: unknown[]) => void sent.push(approved),
    onEnd: (end: string) => void sent.push(end),
    ...given.asking,
  }
  const offer = {
    phase: 'ready',
    rules: given.rules ?? null,
    bundle: BUNDLE,
    action: {},
    doubts: [],
    approval,
    ...given.offer,
  }
  const left = [...steps]
  let decision: Decision | undefined
  const Page = () => {
    // What the decision reads of each.
    decision = useDecision(
      asking as unknown as RequestView,
      { ...PLACE, ...given.place } as Parameters<typeof useDecision>[1],
      offer as unknown as ApprovalOffer,
    )
    left.shift()?.(decision)
    return null
  }
  renderToStaticMarkup(createElement(Page))
  if (decision === undefined) throw new Error('The page was not drawn')
  return { ...decision, sent }
}

const approve = (decision: Decision) => decision.approve()

test.each<[string, object, object]>([
  ['nobody', {}, { hasVouched: false, isSecond: false, isLured: true }],
  [
    'a person who vouched',
    { vouch: { ...VOUCH, counts: true } },
    { hasVouched: true, isSecond: true, isLured: false },
  ],
  [
    'a person whose vouch does not count',
    { vouch: { ...VOUCH, counts: false } },
    { hasVouched: false, isSecond: true, isLured: true },
  ],
  [
    'the first of two',
    { first_approval: { ...VOUCH, returned: true } },
    { hasVouched: true, isSecond: true, isLured: false },
  ],
  [
    'the first of two, whose approval did not return',
    { first_approval: VOUCH },
    { hasVouched: false, isSecond: true, isLured: true },
  ],
])('a request that a link opened, approved before by %s', (_, rules, decision) => {
  expect(decided({ rules, asking: { openedByLink: true } })).toMatchObject(decision)
})

test('what is strange is asked about first; then the approval is sent, or not', async () => {
  const strange = { context: { suggested_bundle_id: 'prod/app' }, rules: { may_be_later: true } }
  expect(decided(strange).confirmation).toBeNull()
  const asked = decided(strange, approve)
  expect(asked.confirmation).not.toBeNull()
  expect(asked.sent).toEqual([])
  const cancelled = decided(strange, approve, ({ confirmation }) => confirmation?.cancel())
  expect(cancelled.confirmation).toBeNull()
  const { sent, confirmation } = decided(strange, approve, (decision) => decision.confirmation?.send())
  expect(confirmation).toBeNull()
  await expect.poll(() => sent).toHaveLength(2)
})

test('what is approved goes back with how it returns, and the page goes on', async () => {
  const { sent } = decided({ rules: { may_be_later: true, why_not: null } }, approve)
  await expect.poll(() => sent).toHaveLength(2)
  const choice = { kind: 'delivery', isSecond: false, mayBeLater: true, workspaceId: 'w1', bundle: BUNDLE }
  expect(sent).toEqual([
    [{ request_id: 'r1', release: 'code' }, expect.anything()],
    [{ ...choice, keys: ['PORT'], deciders: [] }, {}],
  ])
})

test.each<[string, Given, string]>([
  ['no workspace is chosen', { place: { workspaceId: null } }, 'Choose a workspace first.'],
  [
    'nothing is chosen',
    { offer: { problem: 'Select at least one variable.' } },
    'Select at least one variable.',
  ],
])('nothing is sent while %s', (_, given, problem) => {
  expect(decided(given, approve)).toMatchObject({ problem, sent: [] })
})

test('what the rules refuse is left out, and nothing is wrong any more', () => {
  const left: string[] = []
  const given = { offer: { problem: 'Wrong', leaveOut: { count: 1, act: () => void left.push('done') } } }
  const { problem } = decided(given, approve, ({ leaveOut }) => leaveOut?.act())
  expect([problem, left]).toEqual([null, ['done']])
})
