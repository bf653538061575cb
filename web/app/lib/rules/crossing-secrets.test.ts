import { expect, test } from 'vitest'
import { crossingSecrets } from './crossing-secrets.ts'

const step = (name: string, shared_with: string[], change: object = {}) =>
  ({ name, action: 'share', is_secret: true, shared_with, ...change }) as const

const named = (name: string, production: 'by_name' | 'yes' | 'no' = 'by_name') => ({
  name,
  tags: '',
  production,
})

test('a secret crosses if production and another environment would share it', () => {
  const plan = [
    step('CROSSES', ['dev/app']),
    step('STAYS', ['prod/worker']),
    step('PUBLIC', ['dev/app'], { is_secret: false }),
    step('OWN', ['dev/app'], { action: 'own' }),
    step('SAME', ['dev/app'], { action: 'same' }),
  ]
  expect(crossingSecrets(plan, 'prod/app', [])).toEqual(['CROSSES', 'SAME'])
  expect(crossingSecrets(plan, 'dev/worker', [])).toEqual(['STAYS'])
})

test('what an owner says of a bundle counts, not its name', () => {
  const plan = [step('A', ['live'])]
  expect(crossingSecrets(plan, 'dev/app', [named('live', 'yes')])).toEqual(['A'])
  expect(crossingSecrets(plan, 'prod/app', [named('prod/app', 'no')])).toEqual([])
})
