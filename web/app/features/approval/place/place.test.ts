import { expect, test } from 'vitest'
import type { Candidate, RequestContext, Tenant } from '../../../lib/calls/answers.ts'
import { bundleIn, firstPlace, offeredWorkspaces, onlyBundle } from './place.ts'

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

const where = (workspace: string | null, workspaces = BOTH) =>
  firstPlace({ ...asked('dev/new', workspace), kind: 'deposit' }, [], workspaces).workspaceId

test('a new bundle: a person of several workspaces chooses, unless the terminal names one', () => {
  expect([where(null), where('elsewhere'), where('Acme'), where(null, [ACME])]).toEqual([
    null,
    null,
    'a',
    'a',
  ])
})

test('two workspaces of the name that the terminal gives: nothing is chosen', () => {
  const second = { ...ACME, id: 'b' }
  expect(firstPlace(asked(null, 'Acme'), [], [ACME, second, HOME]).workspaceId).toBeNull()
})

const ID = '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21'
const OWN = 'keyferry/0.1.0'

test.each<
  [what: string, asked: string | null, more: Partial<RequestContext>, userAgent: string, count: number]
>([
  ['no workspace', null, { kind: 'deposit' }, OWN, 3],
  ['a name', 'Acme', { kind: 'deposit' }, OWN, 3],
  ['an id', ID, { kind: 'deposit' }, OWN, 1],
  ['an id in capitals', ID.toUpperCase(), { kind: 'deposit' }, OWN, 1],
  ['an id, to list names', ID, { kind: 'names' }, OWN, 1],
  ['an id, to get values', ID, {}, OWN, 1],
  ['an id, and --any-bundle', ID, { flags: ['--any-bundle'] }, OWN, 3],
  ['an id, from another client', ID, {}, 'curl/8', 3],
])('a terminal that names %s', (_what, workspace, more, user_agent, count) => {
  const meta = { user_agent } as RequestContext['requester_meta']
  const request = {
    suggested_bundle_id: 'dev/app',
    requester_meta: meta,
    workspace,
    ...more,
  } as RequestContext
  expect(offeredWorkspaces(request, [...BOTH, { ...HOME, id: ID }])).toHaveLength(count)
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
