import { expect, test } from 'vitest'
import { nextCommands } from './import-options.ts'
import { importPlan, type PlanStep, planFacts, planNotes, planText, writesOf } from './plan.ts'

const STEP: PlanStep = {
  name: 'A',
  action: 'create',
  keyName: 'A',
  isSecret: true,
  sharedWith: [],
  sharedTotal: 0,
  templateParts: null,
  breaks: [],
  crosses: false,
  changed: null,
}
const TARGET = { how: 'import', server: 'http://x', workspace: null } as const

const linesOf = (plan: readonly PlanStep[], change: object = {}, target: object = {}) =>
  planText({ bundleName: 'dev/app', bundleId: 'b', plan, ...change }, { ...TARGET, ...target }).split('\n')

test.each<[string, Partial<PlanStep>, string]>([
  ['a new variable', {}, '+ A  new'],
  ['a new variable with another key name', { keyName: 'APP_A' }, '+ A  new, stored as APP_A'],
  ['a variable that is not secret', { isSecret: false }, '+ A  new; not secret'],
  ['an own value', { action: 'own', keyName: 'APP_A' }, '+ A  own value, stored as APP_A'],
  [
    'an own value, while one other bundle keeps its value',
    { action: 'own', sharedWith: ['b/x'], sharedTotal: 1 },
    '+ A  own value, stored as A; b/x keeps its value',
  ],
  [
    'an own value, while several other bundles keep theirs',
    { action: 'own', sharedWith: ['b/x'], sharedTotal: 3 },
    '+ A  own value, stored as A; b/x and 2 more keep theirs',
  ],
  ['a stored value', { action: 'share' }, '& A  uses the stored value'],
  ['a shared value', { action: 'share', sharedWith: [], sharedTotal: 1 }, '& A  shared with other bundles'],
  ['an update', { action: 'update' }, '~ A  updated'],
  ['a replacement', { action: 'replace' }, '! A  replaced'],
  [
    'a replacement in several bundles',
    { action: 'replace', sharedWith: ['b/x'], sharedTotal: 2 },
    '! A  replaced, in b/x and 1 more too',
  ],
  ['an equal value', { action: 'same' }, '= A  same'],
  ['a variable that is kept', { action: 'kept' }, '= A  kept as it is'],
  [
    'a variable that a named person changed',
    { action: 'kept', changed: { by: 'sam' } },
    '= A  kept, changed by sam after you opened the editor',
  ],
  [
    'a variable that an unknown person changed',
    { action: 'kept', changed: { by: null } },
    '= A  kept, changed by another person after you opened the editor',
  ],
  [
    'a composed value',
    { action: 'kept', templateParts: ['B', 'C'] },
    '= A  kept, built from B, C; to use this value instead, add --replace A',
  ],
  [
    'a composed value that other bundles use',
    { action: 'kept', templateParts: [], sharedTotal: 1 },
    '= A  kept, built from a template; to use this value instead, add --own A or --replace A',
  ],
  ['a removed variable', { action: 'detach', isSecret: false }, '- A  removed; its value stays stored'],
  [
    'a removed variable that composed values need',
    { action: 'detach', keyName: 'APP_A', breaks: ['U', 'V'] },
    '- A  removed; its value stays stored as APP_A; U, V cannot be composed without it',
  ],
])('the plan has a line for %s', (_, change, line) => {
  expect(linesOf([{ ...STEP, ...change }])[1]).toBe(`  ${line}`)
})

test.each([
  [{}, {}, 'Import into dev/app at http://x'],
  [{ bundleId: null }, {}, 'Import into dev/app (a new bundle) at http://x'],
  [{}, { how: 'store', workspace: { name: 'Acme' } }, 'Store in dev/app in Acme at http://x'],
  [{}, { how: 'remove' }, 'Remove from dev/app at http://x'],
])('the first line names the command, the bundle and the server: %j %j', (change, target, head) => {
  expect(linesOf([STEP], change, target)[0]).toBe(head)
})

const named = (name: string, change: Partial<PlanStep> = {}) => ({ ...STEP, name, keyName: name, ...change })

test('the column of names is as wide as the longest name, up to 40 letters', () => {
  expect(linesOf([named('A'), named('LONGER')]).slice(1, 3)).toEqual(['  + A       new', '  + LONGER  new'])
  expect(linesOf([named('A'), named('L'.repeat(41))])[1]).toBe(`  + A${' '.repeat(39)}  new`)
})

test.each<[readonly PlanStep[], string]>([
  [[named('A'), named('B', { action: 'same' })], '1 new (A), 1 same (B)'],
  [
    [named('A', { action: 'same' }), named('B', { action: 'kept' })],
    'Nothing to write: the bundle delivers all of it already',
  ],
  [[named('A', { action: 'kept', templateParts: [] })], 'Nothing to write: A stays a composed value'],
  [
    ['A', 'B'].map((name) => named(name, { action: 'kept', templateParts: [] })),
    'Nothing to write: A, B stay composed values',
  ],
])('the last line is a summary: %#', (plan, summary) => {
  expect(linesOf(plan).slice(-2)).toEqual([summary, ''])
})

test('a program gets the names grouped by action', () => {
  const plan = [
    named('A'),
    named('B', { isSecret: false }),
    named('C', { action: 'detach', isSecret: false }),
    named('D', { action: 'kept' }),
  ]
  expect(planFacts({ bundleName: 'dev/app', bundleId: null, plan })).toEqual({
    bundle: 'dev/app',
    is_new_bundle: true,
    create: ['A', 'B'],
    own: [],
    share: [],
    update: [],
    replace: [],
    same: [],
    kept: ['D'],
    detach: ['C'],
    public: ['B'],
  })
  expect(planFacts({ bundleName: 'dev/app', bundleId: 'b', plan: [] })).toMatchObject({
    is_new_bundle: false,
  })
  expect(writesOf([...plan, named('E', { action: 'same' })]).map(({ name }) => name)).toEqual(['A', 'B', 'C'])
})

test('a note names the secrets that production shares with another environment', () => {
  expect(planNotes([STEP])).toEqual([])
  expect(planNotes([named('A', { crosses: true }), named('B'), named('C', { crosses: true })])).toEqual([
    'production and another environment share A, C; use --own to separate them',
  ])
})

test('the optional fields of a plan can be absent', () => {
  const step = {
    name: 'A',
    action: 'create',
    key_name: 'A',
    is_secret: true,
    shared_with: [],
    shared_total: 0,
    template_parts: null,
  }
  expect(importPlan({ bundle_id: null, plan: [step], plan_id: 'p' })).toEqual({
    bundleId: null,
    plan: [STEP],
    planId: 'p',
    also: [],
    formerIn: [],
  })
  const full = { ...step, breaks: ['U'], crosses: true, changed: { by: null } }
  const former = [{ name: 'A', bundle: null }]
  expect(importPlan({ bundle_id: 'b', plan: [full], plan_id: 'p', former_in: former })).toMatchObject({
    plan: [{ breaks: ['U'], crosses: true, changed: { by: null } }],
    formerIn: former,
  })
})

test('the next command includes --server if the command had it', () => {
  const at = { isServerNamed: true, server: 'http://x' }
  expect(nextCommands(at, ['dev/a'])).toBe('keyferry run dev/a --server http://x -- PROGRAM')
  expect(nextCommands({ ...at, isServerNamed: false }, ['dev/a', 'dev/b'])).toBe(
    'keyferry run dev/a -- PROGRAM\n            keyferry run dev/b -- PROGRAM',
  )
})
