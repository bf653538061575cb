import { expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import type { Environment } from '../base/parts.ts'
import { liveView } from './live-view.ts'
import { jsonView, plainView, quietView } from './plain-view.ts'
import {
  codeNeeded,
  otherNeeded,
  rememberedNotice,
  type ShownRequest,
  type WaitingView,
} from './waiting-view.ts'

const REQUEST: ShownRequest = {
  server: 'https://keyferry.example',
  bundle: 'dev/app',
  workspace: 'Acme',
  keys: ['A', 'B'],
  command: 'npm start',
  agent: null,
  reason: null,
  approvalUrl: 'https://keyferry.example/approve/1',
  shownUrl: 'https://keyferry.example/a/1',
  userCode: 'ZMXZ-MPNR',
  lifetimeMs: 300_400,
  deadlineMs: 301_000,
  whyNotOpened: null,
  whyNotRemembered: null,
  hidesQrCode: true,
}
const MINOR = { event: { event: 'may_leave' }, text: 'it may stop', isMinor: true } as const
const OUTCOME = { event: { event: 'stored', bundle: 'dev/app' }, text: 'stored', notes: ['one', 'two'] }

/** A view with what it writes and its timers. The clock is at 2 s. */
function scene(view: (parts: ReturnType<typeof stage>) => WaitingView, env: Environment = {}) {
  const parts = stage(env, '/')
  const every: [ms: number, tick: () => void][] = []
  const stopped: number[] = []
  const clock: typeof parts.clock = {
    ...parts.clock,
    monotonicMs: () => 2_000,
    every: (ms, tick) => {
      every.push([ms, tick])
      return () => void stopped.push(ms)
    },
  }
  return { ...view({ ...parts, clock }), every, stopped, written: () => parts.seen.stderr.split('\n') }
}

test('a log gets a line for each event and one line each minute', () => {
  const { requested, trouble, recovered, say, finished, end, every, stopped, written } = scene(plainView)
  requested(REQUEST)
  every[0]?.[1]()
  trouble('\u001b[31mreset')
  recovered()
  say(MINOR)
  say(otherNeeded({ who: 'named', count: 10, deadlineMs: 1_800_000 }, 2_000))
  every[0]?.[1]()
  finished(OUTCOME)
  expect(written()).toEqual([
    'keyferry: requesting from https://keyferry.example: A, B of dev/app in workspace "Acme"',
    'keyferry: approve at',
    'https://keyferry.example/a/1',
    'keyferry: check code ZMXZ-MPNR: if the page shows a code, it must be the same',
    'keyferry: opened in the browser; approve there',
    'keyferry: waiting, 4:59 left',
    'keyferry: still waiting, 4:59 left',
    'keyferry: �[31mreset; trying again',
    'keyferry: connected again',
    'keyferry: it may stop',
    'keyferry: waiting for a person whom the rules name (10 can decide), 29:58 left',
    'keyferry: still waiting for a person whom the rules name (10 can decide), 29:58 left',
    'keyferry: stored',
    'keyferry: one',
    'keyferry: two',
    '',
  ])
  expect([every.map(([ms]) => ms), stopped]).toEqual([[60_000], []])
  end()
  expect(stopped).toEqual([60_000])
})

test.each([
  ['values of a bundle', {}, 'requesting from', 'A, B of dev/app in workspace "Acme"'],
  ['all values', { keys: [], workspace: null }, 'requesting from', 'dev/app'],
  [
    'values of any bundle',
    { bundle: null, workspace: null },
    'requesting from',
    'A, B of a bundle that the approver chooses',
  ],
  ['names', { kind: 'names' }, 'asking to list from', 'the variables of dev/app in workspace "Acme"'],
  ['bundles', { kind: 'names', bundle: null }, 'asking to list from', 'the bundles in workspace "Acme"'],
  [
    'what is stored',
    { kind: 'deposit', workspace: null },
    'asking to store at',
    '2 variables (A, B) in dev/app',
  ],
  [
    'what is stored and removed',
    { kind: 'deposit', workspace: null, removes: 1 },
    'asking to store at',
    '1 variable (A) in dev/app, and remove 1 (B)',
  ],
  [
    'what is removed',
    { kind: 'deposit', workspace: null, removes: 2 },
    'asking to remove at',
    '2 variables (A, B) from dev/app',
  ],
] as const)('the first line names %s', (_, change, verb, subject) => {
  const { requested, written } = scene(plainView)
  requested({ ...REQUEST, ...change })
  expect(written()[0]).toBe(`keyferry: ${verb} https://keyferry.example: ${subject}`)
})

test('a log says why it asks again, and why no browser opened', () => {
  const { requested, written } = scene(plainView)
  requested({ ...REQUEST, whyNotRemembered: 'it has expired', whyNotOpened: '--no-open' })
  expect(written().filter((line) => line.startsWith('keyferry: '))).toEqual([
    expect.any(String),
    'keyferry: asking again: it has expired',
    'keyferry: approve at',
    'keyferry: check code ZMXZ-MPNR: the page must show the same',
    'keyferry: no browser opened, --no-open',
    'keyferry: waiting, 4:59 left',
  ])
})

test('a quiet view prints only what is needed to approve, and the final notes', () => {
  const { requested, trouble, recovered, say, finished, dropped, end, written } = scene(quietView)
  requested(REQUEST)
  trouble('reset')
  recovered()
  say(MINOR)
  say(codeNeeded(null))
  finished(OUTCOME)
  dropped()
  end()
  expect(written()).toEqual([
    'keyferry: approve at',
    'https://keyferry.example/a/1',
    'keyferry: check code ZMXZ-MPNR',
    'keyferry: do not share the code of the page',
    'keyferry: one',
    'keyferry: two',
    '',
  ])
})

test('a program gets a JSON event for each change', () => {
  const { requested, trouble, recovered, say, finished, dropped, end, written } = scene(jsonView)
  requested(REQUEST)
  requested({
    ...REQUEST,
    kind: 'deposit',
    removes: 1,
    deadlineMs: 0,
    whyNotOpened: 'x',
    whyNotRemembered: 'y',
  })
  trouble('reset')
  recovered()
  say(codeNeeded('keyferry release 1'))
  say(otherNeeded({ who: 'owner', count: 2, deadlineMs: 3_001 }, 2_000))
  finished(OUTCOME)
  dropped()
  end()
  const asked = {
    event: 'asked',
    server: 'https://keyferry.example',
    bundle: 'dev/app',
    workspace: 'Acme',
    keys: ['A', 'B'],
    approval_url: 'https://keyferry.example/approve/1',
    user_code: 'ZMXZ-MPNR',
    expires_in: 300,
    seconds_left: 299,
    asks_again: null,
    browser: 'opened',
  }
  const deposit = { kind: 'deposit', removes: 1, seconds_left: 0, browser: 'not_opened', asks_again: 'y' }
  expect(written().flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))).toEqual([
    asked,
    { ...asked, ...deposit },
    { event: 'trouble', reason: 'reset' },
    { event: 'recovered' },
    { event: 'release_needed', by: 'code', command: 'keyferry release 1' },
    { event: 'approver_needed', approvers: 'owner', count: 2, seconds_left: 2 },
    { event: 'stored', bundle: 'dev/app' },
  ])
})

test.each([
  ['en_US.UTF-8', '● ', '…'],
  ['C', '* ', '...'],
])('at a terminal, a long reason fits beside the countdown: LANG=%s', (LANG, begin, end) => {
  const { requested, trouble, recovered, every, written } = scene(liveView, { TERM: 'xterm', LANG })
  requested(REQUEST)
  trouble(`no answer from https://${'a'.repeat(60)}.example`)
  every[0]?.[1]()
  const line = written().findLast((each) => each !== '') ?? ''
  expect(line).toMatch(/^ {2}\S no answer from https:\/\/a+\S+; trying again +4:59$/)
  expect(line.slice(2, 4)).toBe(begin)
  expect(line).toContain(`a${end}; trying again`)
  expect(line.length).toBeLessThan(80)
  recovered()
  every[0]?.[1]()
  expect(written().findLast((each) => each !== '')).not.toContain('trying again')
})

test.each([
  [{ usesLeft: 47, isTask: false }, 'approved before; 47 more times until 18:30', {}],
  [
    { usesLeft: 1, isTask: true },
    'task: 1 more time until 18:30; keyferry forget ends everything this terminal remembers',
    { task: true },
  ],
])('an approval that counts again says how often, and whether it is a task: %j', (remembered, text, task) => {
  const expires = new Date(2030, 0, 31, 18, 30)
  expect(rememberedNotice({ ...remembered, expiresAtMs: expires.getTime() })).toEqual({
    event: {
      event: 'remembered',
      uses_left: remembered.usesLeft,
      expires_at: expires.toISOString(),
      ...task,
    },
    text,
    isMinor: true,
  })
})

test('at a terminal, no line is erased before one is shown', () => {
  const parts = stage({ TERM: 'xterm' }, '/')
  const { say, finished, end } = liveView({ ...parts, stderr: { ...parts.stderr, isTerminal: true } })
  say(MINOR)
  finished(OUTCOME)
  end()
  expect(parts.seen.stderr).not.toContain('\u001b[2K')
})
