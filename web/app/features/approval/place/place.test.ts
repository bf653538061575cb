import { expect, test } from 'vitest'
import type { Candidate, Tenant } from '../../../lib/calls/answers.ts'
import { bundleIn, firstPlace, onlyBundle } from './place.ts'

const HOME: Tenant = { id: 'h', name: 'Home', role: 'owner', current: true }
const ACME: Tenant = { id: 'a', name: 'Acme', role: 'member', current: false }
const BOTH = [ACME, HOME]

const named = (workspace: Tenant, id = `${workspace.id}1`): Candidate => ({
  workspace: { id: workspace.id, name: workspace.name },
  bundle: { id, name: 'dev/app' },
})
const asked = (suggested_bundle_id: string | null, workspace: string | null = null) => ({
  suggested_bundle_id,
  workspace,
})

test('a bundle that one workspace has is chosen there, also from another workspace', () => {
  expect(firstPlace(asked('dev/app'), [named(ACME)], BOTH)).toEqual({ workspaceId: 'a', bundleId: 'a1' })
})

test('a bundle that two workspaces have: nothing is chosen', () => {
  expect(firstPlace(asked('dev/app'), [named(ACME), named(HOME)], BOTH)).toEqual({
    workspaceId: null,
    bundleId: null,
  })
})

test.each([
  [asked('dev/app'), 'h'],
  [asked(null), 'h'],
  [asked(null, 'Acme'), 'a'],
  [asked(null, 'a'), 'a'],
  [asked(null, 'elsewhere'), 'h'],
])('without a candidate, %j leads to the workspace %s', (request, workspaceId) => {
  expect(firstPlace(request, [], BOTH)).toEqual({ workspaceId, bundleId: null })
})

test('two workspaces of the name that the terminal gives: nothing is chosen', () => {
  const second = { ...ACME, id: 'b' }
  expect(firstPlace(asked(null, 'Acme'), [], [ACME, second, HOME]).workspaceId).toBeNull()
})

test('a workspace that the person chooses shows the bundle that the terminal names', () => {
  const candidates = [named(ACME), named(HOME)]
  expect(bundleIn('a', candidates)).toBe('a1')
  expect(bundleIn('other', candidates)).toBeNull()
})

test('an id and a name that mean two bundles of one workspace choose neither', () => {
  expect(bundleIn('a', [named(ACME), named(ACME, 'a2')])).toBeNull()
})

test('the only bundle is chosen unless the terminal named another', () => {
  const only = [{ id: 'a1', name: 'dev/app', description: '' }]
  expect(onlyBundle(only, asked(null))).toBe('a1')
  expect(onlyBundle(only, asked('qa/app'))).toBeNull()
  expect(onlyBundle([...only, ...only], asked(null))).toBeNull()
})
