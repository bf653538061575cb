import { describe, expect, test } from 'vitest'
import type { RequestBundle, RequestContext } from '../../lib/calls/answers.ts'
import { asksForTypedCode, isUnbound, nextStepOf, planReturn } from './return-plan.ts'

const META = { ip: '', user_agent: '', requested_at: '2026-01-31T12:00:00.000Z', format: 'sh' } as const
const CONTEXT: RequestContext = {
  cli_pubkey: '',
  suggested_bundle_id: null,
  workspace: null,
  template_keys: [],
  requester_meta: META,
  status: 'pending',
  user_code: 'WDJB-MJHT',
  viewer_ip: '',
  same_network: true,
  expires_at: '2026-01-31T12:05:00.000Z',
  release: ['loopback', 'code'],
}
const BUNDLE: RequestBundle = {
  id: '1',
  name: 'dev/app',
  description: '',
  items: [],
  why_not: null,
  release: ['loopback', 'code'],
  release_required: true,
}
const wayBack = { port: 4_000, token: 'a'.repeat(43) }
const hosted = { context: CONTEXT, bundle: BUNDLE, wayBack: null, isOwnServer: false }
const local = { ...BUNDLE, release: ['loopback' as const] }
const unbound = {
  ...hosted,
  context: { ...CONTEXT, release: [] },
  bundle: { ...BUNDLE, release: [], release_required: false },
}

// What the plan reads of it.
const vouch = { counts: true } as RequestBundle['vouch']

const left = { ...CONTEXT, left_at: META.requested_at }

test('a command that stopped gets an approval of its next run or none, also where the page knows a way back', () => {
  const stopped = { ...hosted, wayBack, context: left }
  expect(planReturn({ ...stopped, bundle: { ...BUNDLE, may_be_later: true } })).toEqual({ by: 'later' })
  const refused = planReturn(stopped)
  expect(refused).toMatchObject({ by: 'refused', code: 'release_required' })
  expect(refused).toHaveProperty('reason', expect.stringMatching(/^The command stopped at /))
})

describe('an approval returns', () => {
  test.each([
    ['over loopback where the client opened the page', { ...hosted, wayBack }, 'loopback'],
    ['by a code elsewhere', hosted, 'code'],
    [
      'by a code where the client offers no loopback',
      { ...hosted, wayBack, bundle: { ...BUNDLE, release: ['code' as const] } },
      'code',
    ],
    ['nowhere where the client takes nothing back', unbound, 'none'],
    [
      'nowhere once the first of two did',
      {
        ...hosted,
        wayBack,
        bundle: {
          ...BUNDLE,
          first_approval: {
            person: { kind: 'user' as const, id: '1', name: 'sam' },
            at: META.requested_at,
            keys: [],
            returned: true,
          },
        },
      },
      'none',
    ],
    ['nowhere once a vouch counts', { ...hosted, wayBack, bundle: { ...BUNDLE, vouch } }, 'none'],
    [
      'nowhere without a code on a server of one person',
      { ...hosted, isOwnServer: true, bundle: { ...BUNDLE, release_required: false } },
      'none',
    ],
    ['by a code there too, if a rule demands it', { ...hosted, isOwnServer: true }, 'code'],
    ['over loopback before the bundle has loaded', { ...hosted, wayBack, bundle: null }, 'loopback'],
  ])('%s', (_, grounds, by) => {
    expect(planReturn(grounds).by).toBe(by)
  })

  test('never by a code where the bundle takes loopback only, and the page says what to do', () => {
    const reason = expect.stringContaining('on this computer, without --no-open')
    const refused = { by: 'refused', code: 'release_required', reason }
    expect(planReturn({ ...hosted, bundle: local })).toEqual(refused)
  })

  test('not at all where the rules refuse the person', () => {
    const why_not = { code: 'owner_approves' as const, error: 'Only an owner may approve' }
    expect(planReturn({ ...hosted, wayBack, bundle: { ...BUNDLE, why_not } })).toEqual({
      by: 'refused',
      code: 'owner_approves',
      reason: 'Only an owner may approve.',
    })
  })

  test('where the rules refuse the person, the page says who may approve', () => {
    const why_not = {
      code: 'owner_approves' as const,
      error: 'Only an owner may approve',
      who: ['alex', 'kim'],
    }
    expect(planReturn({ ...hosted, bundle: { ...BUNDLE, why_not } })).toMatchObject({
      reason: 'Only an owner may approve. Send the link of this page to alex or kim.',
    })
  })

  test('by a code into the terminal of the person who ran the command, which may not be this one', () => {
    const plan = planReturn(hosted)
    expect(nextStepOf(plan, false)).toBe('Then you type a code into your terminal.')
    expect(nextStepOf(plan, true)).toContain('the terminal of the person who ran the command')
    expect(nextStepOf({ by: 'none' }, true)).toBeNull()
  })
})

test.each([
  ['a request that cannot be bound', unbound, true],
  ['that request on a server of one person', { ...unbound, isOwnServer: true }, false],
  ['that request, of a person who vouched', { ...unbound, bundle: { ...unbound.bundle, vouch } }, false],
  ['an approval that returns', hosted, false],
])('the check code is typed for %s: %s', (_, grounds, isTyped) => {
  expect(asksForTypedCode(planReturn(grounds), grounds)).toBe(isTyped)
})

test('an unbound request is one whose client takes nothing back', () => {
  expect(isUnbound(unbound)).toBe(true)
  expect(isUnbound(hosted)).toBe(false)
})
