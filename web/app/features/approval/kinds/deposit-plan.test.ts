import { expect, test } from 'vitest'
import type { DepositPlan } from '../../../lib/answers.ts'
import { removedNames } from './deposit-plan.ts'

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
