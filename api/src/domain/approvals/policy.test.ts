import { expect, test } from 'vitest'
import { isIn, NO_RULES, type PolicySetting, policiesFor } from './policy.ts'

test.each([
  ['prod/', 'prod/web', true],
  ['prod/', 'PROD/web', true],
  ['Prod/', 'prod/eu/web', true],
  ['prod/eu/', 'prod/eu/web', true],
  ['prod/', 'production', false],
  ['prod/', 'production/web', false],
  ['prod/', 'prod-eu/web', false],
  ['prod/', 'prod', false],
  ['prod/', 'eu/prod/web', false],
  ['prod/eu/', 'prod/europe', false],
  ['prod/eu/', 'prod/web', false],
])('the folder %s and the bundle %s: in it %s', (folder, name, isInside) => {
  expect(isIn(folder, name)).toBe(isInside)
})

test('a bundle that does not exist yet has the rules of its folders only', () => {
  const deny: PolicySetting = { ...NO_RULES, agents: 'deny' }
  const owner: PolicySetting = { ...NO_RULES, approvers: 'owner' }
  const two: PolicySetting = { ...NO_RULES, approvals_needed: 2 }
  const folders = new Map([
    ['prod/', deny],
    ['production/', owner],
    ['prod/eu/', two],
  ])
  const all = { workspace: NO_RULES, folders, bundles: new Map([['b', owner]]) }
  const found = policiesFor(all, { id: null, name: 'prod/eu/web' })
  expect(found).toEqual({ workspace: NO_RULES, folders: [deny, two], bundle: NO_RULES })
})
