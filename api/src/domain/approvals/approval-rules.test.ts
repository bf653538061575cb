import { expect, test } from 'vitest'
import { sampleRequest, sampleSupport, sampleVouch } from '../../../test/sample-request.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import {
  DELIVERY_REFUSALS,
  type Grounds,
  mayBeTask,
  mayRememberRepository,
  refusalOf,
  rememberHours,
  requireAllowed,
  requireRememberable,
  shownRules,
  waysOf,
} from './approval-rules.ts'
import type { Policy } from './policy.ts'

const LOOSEST: Policy = {
  assurance: 'compat',
  approvers: 'member',
  people: null,
  changers: 'setter',
  approvals_needed: 1,
  agents: 'ask',
  remember_hours: 8,
  tasks: 'none',
  touch: 'none',
}
const USE: ApprovalRequest['use'] = { redaction: 'auto', flags: [], repository: '/home/sam/shop' }
const DEV = { name: 'dev/shop', tags: '', production: 'by_name' } as const
const PROD = { ...DEV, name: 'prod/shop' }
const HOSTED = { isLocal: false, seesNetworks: true }

type Asked = { policy?: Partial<Policy>; request?: Partial<ApprovalRequest> } & Partial<
  Pick<Grounds, 'first' | 'vouch' | 'isVouched' | 'isAlone' | 'caller'>
>

/** An approval by a member, of a request that a terminal with a key signed. */
function groundsOf({ policy, request, ...changes }: Asked = {}): Grounds {
  const effective = { ...LOOSEST, ...policy }
  return {
    policy: effective,
    own: effective,
    ofValues: [],
    request: sampleRequest({ deviceKey: 'key', release: ['loopback', 'code'], use: USE, ...request }),
    caller: { userId: 'kim', tenantId: 'tenant', role: 'member', reach: null, origin: null },
    first: null,
    vouch: null,
    isVouched: false,
    isAlone: false,
    ...changes,
  }
}

const META = { ip: '', user_agent: '', requested_at: '', format: 'sh', agent: 'codex' } as const
const agent: Partial<ApprovalRequest> = { requesterMeta: META }

test.each<[string, Asked, number]>([
  ['as the rules say', {}, 8],
  ['for fewer hours where a rule says so', { policy: { remember_hours: 2 } }, 2],
  ['not where the rule is never', { policy: { remember_hours: 0 } }, 0],
  ['not for a terminal without a key', { request: { deviceKey: null } }, 0],
  ['not for a client that takes a code only', { request: { release: ['code'] } }, 0],
  ['not for a client that takes nothing back', { request: { release: [] } }, 0],
  ["not for another person's terminal", { vouch: sampleVouch({ returned: 'loopback' }) }, 0],
  ['not where two people approve', { policy: { approvals_needed: 2 } }, 0],
  ['not for an agent', { request: agent }, 0],
  ['for an agent where a rule allows it', { policy: { agents: 'remember' }, request: agent }, 8],
])('an approval can be remembered %s', (_, asked, hours) => {
  expect(rememberHours(groundsOf(asked), false)).toBe(hours)
})

test('on a server of one person an approval is remembered without a return, for a terminal with a key', () => {
  expect(rememberHours(groundsOf({ request: { release: [] } }), true)).toBe(8)
  expect(rememberHours(groundsOf({ request: { release: [], deviceKey: null } }), true)).toBe(0)
})

test('an approval is remembered for a repository where the terminal named one, and never for production', () => {
  const request = groundsOf().request
  expect(mayRememberRepository(request, DEV)).toBe(true)
  expect(mayRememberRepository(request, PROD)).toBe(false)
  expect(mayRememberRepository(request, { ...DEV, tags: 'eu,prod' })).toBe(false)
  expect(mayRememberRepository(request, { ...DEV, production: 'yes' })).toBe(false)
  expect(mayRememberRepository({ ...request, use: { redaction: 'auto', flags: [] } }, DEV)).toBe(false)
  expect(mayRememberRepository({ ...request, use: null }, DEV)).toBe(false)
})

const outcome = (act: () => void): unknown => {
  try {
    act()
    return 'allowed'
  } catch (error) {
    return Object.entries(error ?? {}).find(([name]) => name === 'code')?.[1]
  }
}

const LOOPBACK = { release: 'loopback', remember_hours: 8 } as const

test.each([
  ['as long as the rules allow', {}, LOOPBACK, DEV, 'allowed'],
  ['an hour longer', {}, { ...LOOPBACK, remember_hours: 9 }, DEV, 'invalid'],
  ['with a return by a code', {}, { ...LOOPBACK, release: 'code' as const }, DEV, 'invalid'],
  ['without a return', {}, { remember_hours: 8 }, DEV, 'invalid'],
  ['where two people approve', { policy: { approvals_needed: 2 as const } }, LOOPBACK, DEV, 'invalid'],
  ['for a repository', {}, { ...LOOPBACK, remember_for: 'repository' as const }, DEV, 'allowed'],
  [
    'for a repository of production',
    {},
    { ...LOOPBACK, remember_for: 'repository' as const },
    PROD,
    'invalid',
  ],
  ['not at all', { policy: { remember_hours: 0 } }, { release: 'code' as const }, PROD, 'allowed'],
])('the server judges a choice to remember it %s', (_, asked, choice, bundle, judged) => {
  const act = () => requireRememberable(groundsOf(asked), choice, { ...HOSTED, bundle })
  expect(outcome(act)).toBe(judged)
})

const TASK: Asked = {
  policy: { tasks: 'allow' },
  request: { use: { ...USE, flags: ['run'] }, requesterMeta: { ...META, ip: '198.51.100.7', agent: '' } },
}
const taskOf = (changes: Partial<ApprovalRequest>): Asked => ({
  ...TASK,
  request: { ...TASK.request, ...changes },
})

test.each<[string, Asked, object, boolean]>([
  ['where a rule allows it', TASK, {}, true],
  ['not where none does', { ...TASK, policy: {} }, {}, false],
  ['not behind a proxy that the operator did not name', TASK, { seesNetworks: false }, false],
  [
    'not from the address of this machine',
    taskOf({ requesterMeta: { ...META, ip: '::1', agent: '' } }),
    {},
    false,
  ],
  ['on a server of one person, from anywhere', TASK, { isLocal: true, seesNetworks: false }, true],
  ['not for a terminal without a key', taskOf({ deviceKey: null }), {}, false],
  [
    'not for an agent that is asked about each time',
    taskOf({ requesterMeta: { ...META, ip: '198.51.100.7' } }),
    {},
    false,
  ],
  ['not for the terminal of another person', { ...TASK, isVouched: true }, {}, false],
  ['for mcp', taskOf({ use: { redaction: 'always', flags: ['mcp'] } }), {}, true],
  ['not for pull', taskOf({ use: { redaction: 'auto', flags: ['pull'] } }), {}, false],
  ['not for a terminal that signed no flags', taskOf({ use: null }), {}, false],
  ['not where nothing can return', taskOf({ release: [] }), {}, false],
])('an approval can be of a task %s', (_, asked, place, isOne) => {
  expect(mayBeTask(groundsOf(asked), { ...HOSTED, ...place })).toBe(isOne)
})

test.each<[Policy['assurance'], string[]]>([
  ['compat', ['loopback', 'code']],
  ['bound', ['loopback', 'code']],
  ['local', ['loopback']],
])('under the rule %s an approval can return by %j', (assurance, ways) => {
  const grounds = groundsOf({ policy: { assurance } })
  expect(waysOf(grounds)).toEqual(ways)
  expect(shownRules(DELIVERY_REFUSALS, grounds).release).toEqual(ways)
  for (const release of ['loopback', 'code'] as const) {
    const judged = outcome(() => requireAllowed(DELIVERY_REFUSALS, grounds, { release }))
    expect(judged).toBe(ways.includes(release) ? 'allowed' : 'release_required')
  }
})

test.each<[string, Asked, boolean]>([
  ['compat', {}, false],
  ['bound', { policy: { assurance: 'bound' } }, true],
  ['local', { policy: { assurance: 'local' } }, true],
  [
    'bound, of a vouch that returned',
    { policy: { assurance: 'bound' }, vouch: sampleVouch({ returned: 'code' }) },
    false,
  ],
  ['bound, as the first of two', { policy: { assurance: 'bound', approvals_needed: 2 } }, false],
  [
    'bound, as the second of two',
    { policy: { assurance: 'bound', approvals_needed: 2 }, first: sampleSupport() },
    true,
  ],
  [
    'bound, as the second of two after a first that returned',
    { policy: { assurance: 'bound', approvals_needed: 2 }, first: sampleSupport({ returned: 'loopback' }) },
    false,
  ],
])('under the rule %s an approval must return: %s', (_, asked, isNeeded) => {
  const grounds = groundsOf(asked)
  expect(shownRules(DELIVERY_REFUSALS, grounds).release_required).toBe(isNeeded)
  const judged = outcome(() => requireAllowed(DELIVERY_REFUSALS, grounds, {}))
  expect(judged).toBe(isNeeded ? 'release_required' : 'allowed')
})

test('a way of return that the client does not offer is refused', () => {
  const grounds = groundsOf({ request: { release: ['loopback'] } })
  expect(outcome(() => requireAllowed(DELIVERY_REFUSALS, grounds, { release: 'code' }))).toBe('invalid')
})

test.each<[string, Asked, string | undefined]>([
  ['a member', {}, undefined],
  ['a member where owners approve', { policy: { approvers: 'owner' } }, 'owner_approves'],
  ['a person whom the rules do not name', { policy: { people: ['sam'] } }, 'named_approves'],
  ['a person whom the rules name', { policy: { people: ['sam', 'kim'] } }, undefined],
  ['an agent where the rules deny it', { policy: { agents: 'deny' }, request: agent }, 'agents_denied'],
  ['an agent', { request: agent }, undefined],
  [
    'a terminal that takes nothing back, where approvals return',
    { policy: { assurance: 'bound' }, request: { release: [] } },
    'release_required',
  ],
  [
    'a terminal that takes a code, where approvals stay on this computer',
    { policy: { assurance: 'local' }, request: { release: ['code'] } },
    'release_required',
  ],
  [
    'the person who approved first',
    { policy: { approvals_needed: 2 }, first: sampleSupport({ userId: 'kim' }) },
    'second_person',
  ],
  [
    'a second person',
    { policy: { approvals_needed: 2 }, first: sampleSupport({ userId: 'sam' }) },
    undefined,
  ],
  ['a person who is alone', { policy: { approvals_needed: 2 }, isAlone: true }, 'second_person'],
])('the rules judge %s', (_, asked, code) => {
  expect(refusalOf(DELIVERY_REFUSALS, groundsOf(asked))?.code).toBe(code)
})
