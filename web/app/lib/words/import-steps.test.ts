import { expect, test } from 'vitest'
import { noteOf } from './import-steps.ts'

test.each([
  [1, 'dev/app keeps its value'],
  [2, 'dev/app and 1 more keep their values'],
])('an own value, of a name that %i other bundles deliver', (shared_total, note) => {
  const step = { name: 'A', action: 'own', key_name: 'B', key_id: null, is_secret: true } as const
  const shared = { shared_with: ['dev/app'], shared_total, choices: [] }
  expect(noteOf({ ...step, ...shared })).toBe(` · ${note}`)
})
