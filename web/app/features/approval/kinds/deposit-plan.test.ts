import { expect, test } from 'vitest'
import type { DepositPlan } from '../../../lib/calls/answers.ts'
import { actionOf, removedNames } from './deposit-plan.tsx'

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
  expect(actionOf(plan, 'dev/app')).toMatchObject({ ...action, name: 'dev/app' })
})
