import { expect, test } from 'vitest'
import {
  effectivePolicy,
  isIn,
  keptOf,
  loosened,
  NO_RULES,
  type PolicySetting,
  policiesFor,
  rulesTaken,
  type SetPolicies,
  tightened,
} from './policy.ts'

const DEV = { name: 'dev/web', tags: '', production: 'by_name' } as const
const PROD = { ...DEV, name: 'prod/web' }
const ALLOW: PolicySetting = { ...NO_RULES, tasks: 'allow' }
const NONE: PolicySetting = { ...NO_RULES, tasks: 'none' }

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

type Places = { workspace?: PolicySetting; folder?: PolicySetting; bundle?: PolicySetting }

const setBy = ({ workspace = NO_RULES, folder = NO_RULES, bundle = NO_RULES }: Places): SetPolicies => ({
  workspace,
  folders: [folder],
  bundle,
})

test.each<[string, Places, 'allow' | 'none', 'allow' | 'none']>([
  ['nothing', {}, 'none', 'none'],
  ['that the workspace allows them', { workspace: ALLOW }, 'allow', 'none'],
  ['that a folder allows them', { folder: ALLOW }, 'allow', 'none'],
  ['that the bundle allows them', { bundle: ALLOW }, 'allow', 'none'],
  ['that the workspace refuses what the bundle allows', { workspace: NONE, bundle: ALLOW }, 'none', 'none'],
  ['that a folder refuses what the workspace allows', { workspace: ALLOW, folder: NONE }, 'none', 'none'],
  ['that the bundle refuses what a folder allows', { folder: ALLOW, bundle: NONE }, 'none', 'none'],
  ['hours in the bundle', { bundle: { ...ALLOW, remember_hours: 1 } }, 'allow', 'allow'],
  [
    'hours in the bundle, tasks above',
    { workspace: ALLOW, bundle: { ...NO_RULES, remember_hours: 1 } },
    'allow',
    'none',
  ],
  [
    'hours in the folder, tasks in the bundle',
    { folder: { ...NO_RULES, remember_hours: 1 }, bundle: ALLOW },
    'allow',
    'allow',
  ],
  ['that nothing is remembered', { bundle: { ...ALLOW, remember_hours: 0 } }, 'none', 'none'],
  [
    'two people',
    { workspace: { ...ALLOW, approvals_needed: 2 }, bundle: { ...ALLOW, remember_hours: 1 } },
    'none',
    'none',
  ],
  ['a signature', { bundle: { ...ALLOW, touch: 'passkey', remember_hours: 1 } }, 'none', 'none'],
])('tasks where places set %s', (_, places, inDev, inProd) => {
  const set = setBy(places)
  expect(effectivePolicy('compat', set, DEV).tasks).toBe(inDev)
  expect(effectivePolicy('compat', set, PROD).tasks).toBe(inProd)
})

test('a value comes under what other bundles say of tasks, not under what they leave out', () => {
  const own = effectivePolicy('compat', setBy({ bundle: ALLOW }), DEV)
  expect(tightened(own, [NO_RULES, ALLOW]).tasks).toBe('allow')
  expect(tightened(own, [NONE]).tasks).toBe('none')
  for (const rule of [{ remember_hours: 0 }, { approvals_needed: 2 }, { touch: 'device' }] as const)
    expect(tightened(own, [rule]).tasks).toBe('none')
})

test.each<[string, Places, PolicySetting[], PolicySetting['tasks']]>([
  ['what a folder refused and the workspace allows', { workspace: ALLOW, folder: NONE }, [], 'none'],
  ['what the new folder allows', {}, [ALLOW], 'none'],
  ['nothing where the new folder refuses too', { workspace: ALLOW, folder: NONE }, [NONE], null],
  ['nothing where both allow', { folder: ALLOW }, [ALLOW], null],
  ['nothing where nobody allows', { folder: NONE }, [], null],
  ['nothing that the workspace allowed anyway', { workspace: ALLOW }, [ALLOW], null],
])('a bundle under another name takes %s', (_, places, entered, taken) => {
  const { workspace, folders } = setBy(places)
  expect(rulesTaken(NO_RULES, { left: folders, entered, workspace }, DEV).tasks).toBe(taken)
})

const at = (set: PolicySetting, named: { name: string; tags: string; production: 'by_name' } = DEV) => ({
  set,
  named,
})

test('a rule that ends is looser where the workspace sets less', () => {
  const [above, nothing] = [{ workspace: ALLOW }, { workspace: NO_RULES }]
  expect(loosened(at(NONE), at(NO_RULES), above)).toEqual(['tasks'])
  expect(loosened(at(NONE), at(NO_RULES), nothing)).toEqual([])
  expect(loosened(at(NONE, PROD), at(NO_RULES, PROD), above)).toEqual([])
  expect(loosened(at(NO_RULES), at(ALLOW), nothing)).toEqual(['tasks'])
  expect(loosened(at(NO_RULES), at(ALLOW), above)).toEqual([])
  expect(loosened(at(ALLOW), at(NONE), above)).toEqual([])
  const asks: PolicySetting = { ...NO_RULES, agents: 'ask', changers: 'setter', remember_hours: 8 }
  const looser = {
    workspace: { ...NO_RULES, agents: 'remember', changers: 'member', remember_hours: 12 },
  } as const
  expect(loosened(at(asks), at(NO_RULES), looser).toSorted()).toEqual([
    'agents',
    'changers',
    'remember_hours',
  ])
})

test('a secret keeps what was refused over it, where it is allowed now', () => {
  expect(keptOf([NONE], [NO_RULES], { workspace: ALLOW })?.tasks).toBe('none')
  expect(keptOf([NONE], [ALLOW], { workspace: NO_RULES })?.tasks).toBe('none')
  expect(keptOf([NONE], [NO_RULES], { workspace: NO_RULES })).toBeNull()
  expect(keptOf([NO_RULES], [ALLOW], { workspace: NO_RULES })).toBeNull()
})
