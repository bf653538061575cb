import { expect, test } from 'vitest'
import { type Chosen, choicesAt, loosens } from './rule-words.ts'

type Place = Parameters<typeof choicesAt>[1]

const WEAKEST: Place['above'] = {
  assurance: 'compat',
  approvers: 'member',
  people: null,
  changers: 'member',
  approvals_needed: 1,
  agents: 'ask',
  remember_hours: 8,
  tasks: 'none',
  touch: 'none',
}

const NOTHING: Place['set'] = {
  assurance: null,
  approvers: null,
  people: null,
  changers: null,
  approvals_needed: null,
  agents: null,
  remember_hours: null,
  tasks: null,
  touch: null,
}

const place = (changes: Partial<Place> = {}): Place => ({
  folder: 'prod/',
  bundle: null,
  variable: null,
  set: NOTHING,
  limit: NOTHING,
  above: WEAKEST,
  effective: WEAKEST,
  is_production: true,
  production: 'by_name',
  ...changes,
})

const values = (...asked: Parameters<typeof choicesAt>) => choicesAt(...asked).map(({ value }) => value)

test('where nothing is set above, every choice but the weakest is offered', () => {
  expect(values('assurance', place())).toEqual(['bound', 'local'])
  expect(values('approvers', place())).toEqual(['named', 'owner'])
  const above = { ...WEAKEST, agents: 'remember', remember_hours: 12, tasks: 'allow' } as const
  const all = (field: Parameters<typeof choicesAt>[0]) => values(field, place({ above, effective: above }))
  expect(all('approvals_needed')).toEqual([2])
  expect(all('touch')).toEqual(['passkey', 'device'])
  expect(all('remember_hours')).toEqual([8, 1, 0])
  expect(all('tasks')).toEqual(['none'])
  expect(all('agents')).toEqual(['ask', 'deny'])
  expect(all('changers')).toEqual(['setter', 'owner'])
})

test('no choice is offered that is weaker than what the places above demand', () => {
  const above = { ...WEAKEST, assurance: 'bound' } as const
  const limit = { ...NOTHING, assurance: 'bound' } as const
  expect(values('assurance', place({ above, limit, effective: above }))).toEqual(['local'])
  const set = { ...NOTHING, assurance: 'local' } as const
  const looser = { ...WEAKEST, assurance: 'compat' } as const
  expect(values('assurance', place({ above: looser, limit, set }))).toEqual(['bound', 'local'])
})

test('a task is not offered where nothing may be remembered, or two people say yes', () => {
  const allowed = { ...WEAKEST, tasks: 'none' } as const
  expect(values('tasks', place({ effective: { ...allowed, remember_hours: 0 } }))).not.toContain('allow')
  expect(values('tasks', place({ effective: { ...allowed, approvals_needed: 2 } }))).not.toContain('allow')
})

const hour = place({ effective: { ...WEAKEST, remember_hours: 1 } })
const named = place({
  set: { ...NOTHING, approvers: 'named', people: ['u1', 'u2'] },
  effective: { ...WEAKEST, approvers: 'named', people: ['u1', 'u2'] },
})

test.each<[string, Place, Chosen, boolean]>([
  ['more hours', hour, { field: 'remember_hours', value: 8 }, true],
  ['no hours', hour, { field: 'remember_hours', value: 0 }, false],
  ['what counts from above', hour, { field: 'remember_hours', value: null }, true],
  ['what counts already', hour, { field: 'remember_hours', value: 1 }, false],
  ['another person', named, { field: 'approvers', value: 'named', people: ['u1', 'u9'] }, true],
  ['fewer people', named, { field: 'approvers', value: 'named', people: ['u1'] }, false],
  ['owners, who were not named', named, { field: 'approvers', value: 'owner' }, true],
  ['all members', named, { field: 'approvers', value: 'member' }, true],
])('whether a place gets looser with %s', (_, at, chosen, isLooser) => {
  expect(loosens(at, chosen)).toBe(isLooser)
})
