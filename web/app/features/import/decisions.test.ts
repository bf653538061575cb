import { expect, test } from 'vitest'
import type { ImportAction, ImportStep } from '../../lib/calls/answers.ts'
import { planText } from '../../lib/words/import-steps.ts'
import { type Decisions, deciding, hasWork, offeredOpen, UNDECIDED } from './decisions.ts'

const step = (name: string, action: ImportAction): ImportStep => ({
  name,
  action,
  key_id: null,
  key_name: name,
  is_secret: true,
  shared_with: [],
  shared_total: 0,
  choices: [],
})

test('names of new keys that do not look secret are offered, unless the person decided', () => {
  const named = ['PORT', 'API_TOKEN', 'HOST', 'LOG_LEVEL', 'TZ']
  const entries = named.map((name, at) => ({ name, value: 'x', line: at + 1 }))
  const actions = ['create', 'create', 'create', 'own', 'share'] as const
  const plan = actions.map((action, at) => step(named[at] ?? '', action))
  const decided = { ...UNDECIDED, secret: new Map([['HOST', true]]) }
  expect(offeredOpen(entries, plan, decided)).toEqual(['PORT', 'LOG_LEVEL'])
})

test('a plan is counted by what it does', () => {
  const plan = [step('A', 'create'), step('B', 'create'), step('C', 'own'), step('D', 'same')]
  expect(planText(plan)).toBe('2 new, 1 own, 1 same')
  expect(hasWork(plan)).toBe(true)
  expect(hasWork([step('D', 'same'), step('E', 'kept')])).toBe(false)
})

type Deciding = ReturnType<typeof deciding>

/** What is decided after these steps. */
function decidedAfter(...steps: readonly ((decide: Deciding) => void)[]): Decisions {
  let decisions = UNDECIDED
  for (const decide of steps)
    decide(
      deciding(decisions, (next) => {
        decisions = next
      }),
    )
  return decisions
}

test('each decision is about its variables, and leaves the others as they are', () => {
  const decisions = decidedAfter(
    ({ skip }) => skip(['A', 'B'], true),
    ({ skip }) => skip(['A'], false),
    ({ mark }) => mark(['A', 'C'], false),
    ({ mark }) => mark(['C'], true),
    ({ choose }) => choose(['A', 'C'], 'own'),
    ({ choose }) => choose(['C'], 'share'),
  )
  expect(decisions).toEqual({
    skipped: new Set(['B']),
    secret: new Map([
      ['A', false],
      ['C', true],
    ]),
    choices: new Map([
      ['A', 'own'],
      ['C', 'share'],
    ]),
  })
})
