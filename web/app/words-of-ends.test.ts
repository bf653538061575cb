import { createElement } from 'react'
import { expect, test, vi } from 'vitest'
import { Held } from './features/approval/held.tsx'
import { Approved, Ended, SecondPerson } from './features/approval/outcome.tsx'
import { VouchNotices } from './features/approval/request/vouch-notices.tsx'
import { Shortcuts } from './features/frame/shortcuts.tsx'
import { passkeyObstacle, passkeyProblem } from './lib/data/passkey-browser.ts'
import { expectWords, onPage, wordsOf } from './test/static-words.ts'
import { StepChoice } from './ui/import-step/step-choice.tsx'

onPage('https://keyferry.example/approve/r1')

/*
 * The text of ended requests, of decisions of other people, and of the shortcuts, in states that the stories do not
 * cover. After an intended change, run this test with -u and read the difference.
 */

const ENDS = [
  'denied',
  'withdrawn',
  'expired',
  'later',
  'gone',
  'already_approved',
  'not_collected',
  'signed_out',
  'other_person',
  'forbidden',
  'unreachable',
] as const

const KINDS = ['delivery', 'deposit', 'names', 'proposal'] as const

const ALL = ['own', 'share', 'replace']
const STEPS = [
  ...['create', 'own', 'share', 'update', 'replace', 'same', 'kept', 'detach'].map((action) => ({ action })),
  { action: 'own', choices: ALL },
  { action: 'update', choices: ['own'] },
  { action: 'kept', choices: ['share', 'own'], changed: { by: 'kim', at: '2026-06-01T12:00:00.000Z' } },
  { action: 'kept', choices: ['replace'], template_parts: ['HOST'] },
]

const stepOf = (step: object) =>
  ({ name: 'PORT', choices: [], shared_total: 0, ...step }) as unknown as Parameters<
    typeof StepChoice
  >[0]['step']

const CONTEXT = { user_code: 'ABCD-EFGH', release: ['loopback', 'code'], vouch: null, deposit: null }
const HELD = {
  context: CONTEXT,
  choice: null,
  by: 'loopback',
  code: null,
  isKept: false,
  isReturning: false,
  untilMs: 0,
}
const NEVER = Number.MAX_SAFE_INTEGER

/** Approvals that return to a terminal. Each differs from HELD by these fields. */
const HOLDS = {
  'the terminal asks': { isKept: true, untilMs: NEVER },
  'it returns': { isReturning: true, untilMs: NEVER },
  'another person approved': {},
  'another person asked': { context: { ...CONTEXT, vouch: 'held' } },
  'the program was not there': { choice: { mayBeLater: false } },
  'the program was not there, and may ask again': { choice: { mayBeLater: true } },
  'no code can be used': { choice: {}, context: { ...CONTEXT, release: ['loopback'] } },
  'a code was not typed': { choice: {}, by: 'code' },
}

const held = (change: object) => {
  const request = { ...HELD, ...change } as unknown as Parameters<typeof Held>[0]['request']
  return createElement(Held, { requestId: 'r1', request, onCode: () => undefined, onEnd: () => undefined })
}

const VOUCH = {
  person: { id: 'u1', name: 'sam' },
  email: 'sam@example.com',
  member_since: '2026-06-01T12:00:00.000Z',
  is_new_network: false,
  counts: true,
}

const choiceOf = (change: object) =>
  ({
    kind: 'delivery',
    keys: ['PORT'],
    bundle: { id: 'b1', name: 'dev/app' },
    workspaceId: 'w1',
    ...change,
  }) as never

const notice = (rules: object) =>
  createElement(VouchNotices, { rules: rulesOf(rules), bundleName: 'prod/app', leaveOut: null })

// The fields of the rules that the notices read.
const rulesOf = (rules: object) => rules as Parameters<typeof VouchNotices>[0]['rules']

const whyNot = (change: object) => ({ may_vouch: true, why_not: { who: ['kim', 'lee'], ...change } })

test('ended requests, decisions of other people and shortcuts show the recorded text', async () => {
  const parts = {
    ...Object.fromEntries(ENDS.map((end) => [end, createElement(Ended, { end, onRetry: () => undefined })])),
    ...Object.fromEntries(
      KINDS.flatMap((kind) =>
        [true, false].map((delivered) => [
          `${kind}, ${delivered ? 'delivered' : 'approved'}`,
          createElement(Approved, { choice: choiceOf({ kind }), delivered }),
        ]),
      ),
    ),
    ...Object.fromEntries(Object.entries(HOLDS).map(([name, change]) => [name, held(change)])),
    'two variables': createElement(Approved, { choice: choiceOf({ keys: ['A', 'B'] }), delivered: true }),
    'a second person': createElement(SecondPerson, { choice: choiceOf({}) }),
    'others, by name': createElement(SecondPerson, {
      choice: choiceOf({ kind: 'vouch', deciders: ['kim', 'lee'] }),
    }),
    others: createElement(SecondPerson, { choice: choiceOf({ kind: 'vouch' }) }),
    'asked by a member': notice({ vouch: VOUCH }),
    'asked by a former member': notice({
      vouch: { ...VOUCH, person: { id: 'u1', name: null }, email: null, member_since: null },
    }),
    'asked from a new network, and not enough': notice({
      vouch: { ...VOUCH, is_new_network: true, counts: false },
    }),
    'owners decide': notice(whyNot({ code: 'owner_approves' })),
    'named people decide': notice(whyNot({ code: 'named_approves' })),
    'some variables': notice(whyNot({ code: 'owner_approves', names: ['A'], error: 'Owners decide on A' })),
    ...Object.fromEntries(
      STEPS.map((step) => [
        `a step: ${JSON.stringify(step)}`,
        createElement(StepChoice, { step: stepOf(step) }),
      ]),
    ),
    shortcuts: createElement(Shortcuts, { onClose: () => undefined }),
  }
  const texts = Object.entries(parts).map(([name, element]) => [name, wordsOf(element)] as const)
  await expectWords(import.meta.filename, Object.fromEntries(texts))
})

test('why passkeys do not work', () => {
  vi.stubGlobal('window', {})
  expect(passkeyObstacle(null)).toContain('Passkeys need https and a host name.')
  expect(passkeyObstacle('https://other.example')).toContain('Passkeys work at https://other.example.')
  expect(passkeyObstacle(location.origin)).toBe('This browser does not support passkeys.')
  vi.stubGlobal('window', { PublicKeyCredential: true })
  expect(passkeyObstacle(location.origin)).toBeNull()
  const problems = ['NotAllowedError', 'AbortError', 'InvalidStateError', 'SecurityError', 'another']
  const said = problems.map((name) => {
    try {
      return passkeyProblem(Object.assign(new Error('of the browser'), { name }))
    } catch (error) {
      return String(error)
    }
  })
  expect(said).toMatchInlineSnapshot(`
    [
      "Problem: No passkey was used. Try again.",
      "Problem: No passkey was used. Try again.",
      "Problem: This device already has a passkey for your account.",
      "Problem: The browser does not allow passkeys at this address.",
      "Problem: The browser could not use the passkey. Try again.",
    ]
  `)
})
