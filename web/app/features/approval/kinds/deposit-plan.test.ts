import { expect, test } from 'vitest'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { actionOf, proposing, removedNames } from './deposit-plan.tsx'

const step = {
  key_id: null,
  is_secret: true,
  shared_with: [],
  shared_total: 0,
  choices: [],
}

test('a name that cannot be composed any more is no longer delivered', () => {
  const plan: DepositPlan['plan'] = [
    { ...step, name: 'PORT', key_name: 'PORT', action: 'create' },
    { ...step, name: 'PASSWORD', key_name: 'PASSWORD', action: 'detach', breaks: ['ADDRESS'] },
    { ...step, name: 'USER', key_name: 'USER', action: 'detach', breaks: ['ADDRESS'] },
  ]
  expect(removedNames({ plan })).toEqual(['PASSWORD', 'USER', 'ADDRESS'])
})

const planOf = (
  ...actions: DepositPlan['plan'][number]['action'][]
): Pick<DepositPlan, 'plan' | 'bundle_id'> => ({
  bundle_id: '1',
  plan: actions.map((action, index) => ({ ...step, name: `K${index}`, key_name: `K${index}`, action })),
})

test.each([
  [
    'stores what changes',
    planOf('create', 'update', 'same', 'kept'),
    { label: 'Store 2 variables', count: 2 },
  ],
  ['removes where nothing is stored', planOf('detach', 'same'), { label: 'Remove 1 variable', count: 1 }],
  ['says both', planOf('own', 'detach'), { label: 'Store 1 variable, remove 1', count: 2 }],
])('the button of a deposit %s', (_, plan, action) => {
  expect(actionOf(plan, 'dev/app')).toEqual({ ...action, thing: 'variable', name: 'dev/app' })
})

test('the button shows a new bundle, the number of other bundles, and a change request', () => {
  const plan = planOf('create')
  expect(actionOf({ ...plan, bundle_id: null }, 'dev/app')).toMatchObject({ note: 'a new bundle' })
  const also = [{ bundle: 'dev/api', bundle_id: null, plan: plan.plan }] as unknown as DepositPlan['also']
  const both = actionOf({ ...plan, bundle_id: null, also }, 'dev/app')
  expect(both).toEqual({
    label: 'Store 2 variables',
    count: 2,
    thing: 'variable',
    name: 'dev/app and 1 more bundle',
  })
  expect(proposing(['A', 'B'], 'dev/app')).toEqual({
    label: 'Propose 2 variables',
    count: 2,
    thing: 'variable',
    name: 'dev/app',
  })
})
