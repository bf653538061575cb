import { expect, test } from 'vitest'
import type { ImportAction, ImportStep } from '../../lib/calls/answers.ts'
import { planText } from '../../lib/words/import-steps.ts'
import { applying, hasWork } from './decisions.ts'

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

test('new keys get the mark that their names suggest; known keys and decisions stay', () => {
  const entries = [
    { name: 'PORT', value: '80' },
    { name: 'API_TOKEN', value: 'x' },
    { name: 'HOST', value: 'h', is_secret: true },
    { name: 'LOG_LEVEL', value: 'info' },
  ]
  const plan = [
    step('PORT', 'create'),
    step('API_TOKEN', 'create'),
    step('HOST', 'create'),
    step('LOG_LEVEL', 'own'),
  ]
  const request = applying(
    { bundle: 'dev/app', entries },
    { bundle_id: null, plan, plan_id: 'p', stricter: [] },
  )
  expect(request.plan_id).toBe('p')
  expect(request.entries.map(({ is_secret }) => is_secret)).toEqual([false, true, true, undefined])
})

test('a plan is counted by what it does', () => {
  const plan = [step('A', 'create'), step('B', 'create'), step('C', 'own'), step('D', 'same')]
  expect(planText(plan)).toBe('2 new, 1 own, 1 same')
  expect(hasWork(plan)).toBe(true)
  expect(hasWork([step('D', 'same'), step('E', 'kept')])).toBe(false)
})
