import { AUDIT_ACTIONS, type AuditAction, PolicySetting, UpdateBundle, UpdateKey } from '@keyferry/contract'
import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../calls/answers.ts'
import { sentenceOf, sentenceText } from './sentence.ts'

const SAM = { kind: 'user', id: 'u1', name: 'sam' }
const KEY = { kind: 'key', id: 'k1', name: 'DATABASE_URL' }
const BUNDLE = { kind: 'bundle', id: 'b1', name: 'dev/app' }
const MACHINE = { kind: 'machine', id: 'm1', name: 'ci-deploy' }
const WEBHOOK = { kind: 'webhook', id: 'w1', name: 'hooks.example' }
const BY_MACHINE: readonly AuditAction[] = ['delivery.machine', 'delivery.refused']
const KIM = { kind: 'user', id: 'u2', name: 'kim' }
const TERMINAL = { hostname: 'laptop', user: 'sam', program: 'npm', requester_ip: '192.0.2.7' }
const PORT = { id: 'k2', name: 'PORT' }

type Given = { target?: AuditEntry['target']; data?: AuditEntry['data']; origin?: AuditEntry['origin'] }

function entry(action: AuditAction, { target = KEY, data = {}, origin = null }: Given = {}): AuditEntry {
  const client = { kind: 'client', id: null, name: null }
  const actor = action === 'delivery.collected' ? client : BY_MACHINE.includes(action) ? MACHINE : SAM
  return {
    seq: 1,
    id: 'e1',
    at: '2026-01-31T12:00:00.000Z',
    sealed: true,
    action,
    actor,
    target,
    data,
    origin,
  }
}

test.each(AUDIT_ACTIONS)('%s has words, with little data and with all', (action) => {
  const data = {
    version: 4,
    restored_from: 2,
    changed: ['value', 'description'],
    key: PORT,
    replaced: PORT,
    bundle: { id: 'b2', name: 'prod/app' },
    names: ['A', 'B'],
    versions: [['A', 1]],
    through: 9,
    position: 0,
    as: 'X',
    role: 'owner',
    format: 'env',
  }
  for (const given of [{ data, origin: TERMINAL }, { data }]) {
    for (const target of [KEY, BUNDLE, KIM, MACHINE, { kind: 'request', id: 'r', name: null }]) {
      const text = sentenceText(entry(action, { ...given, target }))
      expect(text).toMatch(/^\S.*\S \S/)
      expect(text).not.toMatch(/null|undefined|object|NaN|\s{2}/)
    }
  }
})

test.each([
  [{ kind: 'user', id: 'u9', name: null }, 'A former user'],
  [{ kind: 'client', id: null, name: null }, 'A terminal'],
  [MACHINE, 'ci-deploy'],
  [{ ...MACHINE, name: null }, 'A former machine'],
  [{ ...MACHINE, id: null }, 'A former machine'],
  [{ kind: 'operator', id: null, name: null }, 'The operator'],
  [{ kind: 'server', id: null, name: null }, 'The server'],
] as const)('who acts: %j', (actor, name) => {
  expect(sentenceText({ ...entry('key.created'), actor })).toBe(`${name} created DATABASE_URL`)
})

const CASES: readonly [AuditAction, Given, string][] = [
  ['key.created', { data: { version: 1 } }, 'sam created DATABASE_URL'],
  [
    'key.created',
    { data: { version: 1, changed_elsewhere_at: '2024-01-31T12:00:00.000Z' } },
    'sam moved DATABASE_URL here',
  ],
  [
    'key.changed',
    { data: { version: 4, changed: ['value'] } },
    'sam changed the value of DATABASE_URL to version 4',
  ],
  [
    'key.changed',
    { data: { version: 4, changed: ['value', 'description', 'expires_at'] } },
    'sam changed the value of DATABASE_URL to version 4, and the description and the expiry',
  ],
  [
    'key.restored',
    { data: { version: 5, restored_from: 2 } },
    'sam restored version 2 of DATABASE_URL as version 5',
  ],
  ['key.described', { data: { changed: ['rotate_after_days'] } }, 'sam changed the rotation of DATABASE_URL'],
  [
    'bundle.attached',
    { target: BUNDLE, data: { key: PORT, as: 'HTTP_PORT' } },
    'sam added PORT to dev/app as HTTP_PORT',
  ],
  [
    'bundle.attachment_changed',
    { target: BUNDLE, data: { key: PORT, required: true } },
    'sam set PORT in dev/app, required',
  ],
  [
    'bundle.imported',
    { target: BUNDLE, data: { names: ['A', 'B', 'C', 'D', 'E'], names_count: 120 } },
    'sam imported 120 variables into dev/app: A, B, C, D and 116 more',
  ],
  [
    'bundle.imported',
    { target: BUNDLE, data: { names: ['A'], copied: ['A from staging/app'] } },
    'sam imported 1 variable into dev/app: A, copied from staging/app',
  ],
  [
    'bundle.imported',
    { target: BUNDLE, data: { names: ['A', 'B', 'C'], copied: ['A from qa/app', 'B from qa/app'] } },
    'sam imported 3 variables into dev/app: A, B, C, 2 of them copied from qa/app',
  ],
  [
    'delivery.approved',
    {
      target: BUNDLE,
      data: {
        versions: [
          ['A', 1],
          ['B', 7],
        ],
        names: ['OLD'],
      },
      origin: TERMINAL,
    },
    'sam approved 3 values of dev/app for sam@laptop (npm)',
  ],
  ['delivery.collected', { target: BUNDLE, origin: TERMINAL }, 'sam@laptop collected the values of dev/app'],
  [
    'delivery.void',
    { target: BUNDLE, data: { reason: 'withdrawn' } },
    'sam approved dev/app, and nothing was delivered: the request was withdrawn',
  ],
  [
    'delivery.void',
    { target: BUNDLE },
    'sam approved dev/app, and nothing was delivered: another approval was faster',
  ],
  [
    'delivery.not_released',
    { target: BUNDLE, data: { reason: 'wrong_code' } },
    'sam approved dev/app, and the approval never returned to a terminal: its code was wrong',
  ],
  [
    'delivery.not_released',
    { target: BUNDLE, data: { reason: 'expired', vouched_by: 'u' } },
    'sam asked others to approve dev/app, and that never returned to a terminal: the request expired',
  ],
  [
    'request.vouched',
    { target: BUNDLE, data: { names: ['A', 'B'] } },
    'sam asked others to approve 2 values of dev/app',
  ],
  [
    'request.returned',
    { target: BUNDLE, data: { names: ['A'] } },
    'sam confirmed their terminal, so others can decide a request for dev/app',
  ],
  [
    'bundle.policy_changed',
    { target: BUNDLE, data: { rules: ['approvals_needed: 2', 'tenant_id: x'] } },
    'sam changed the rules of dev/app: how many must say yes, a rule',
  ],
  ['delivery.collected', { target: BUNDLE }, 'A terminal collected the values of dev/app'],
  [
    'delivery.denied',
    { target: { kind: 'request', id: 'r', name: null }, origin: TERMINAL },
    'sam denied a request from sam@laptop',
  ],
  [
    'delivery.denied',
    { target: { kind: 'request', id: 'r', name: null }, origin: { requester_ip: '192.0.2.7' } },
    'sam denied a request from 192.0.2.7',
  ],
  [
    'delivery.denied',
    { target: { kind: 'request', id: 'r', name: null } },
    'sam denied a request from a terminal',
  ],
  ['bundle.exported', { target: BUNDLE }, 'sam exported dev/app as text, secret values masked'],
  [
    'bundle.changed',
    { target: { ...BUNDLE, name: null }, data: { changed: ['name'] } },
    'sam changed the name of a bundle',
  ],
  [
    'tenant.renamed',
    { target: { kind: 'tenant', id: 't1', name: null } },
    'sam renamed the workspace to something without a name',
  ],
  [
    'deposit.applied',
    { target: BUNDLE, data: { created: 3, updated: 1 } },
    'sam stored a deposit in dev/app: 3 created, 1 updated',
  ],
  [
    'deposit.not_released',
    { data: { into: 'prod/app', reason: 'expired' } },
    'sam approved a deposit into prod/app, and the approval never returned to a terminal: the request expired',
  ],
  [
    'names.approved',
    { target: BUNDLE, data: { count: 3 }, origin: TERMINAL },
    'sam let sam@laptop list the names of dev/app',
  ],
  [
    'names.not_released',
    { target: { kind: 'tenant', id: 't1', name: 'Acme' }, data: { reason: 'expired' } },
    'sam approved a list of the bundles of the workspace, and the approval never returned to a terminal: the request expired',
  ],
  ['member.limited', { target: KIM, data: { limited_to: ['partner/'] } }, 'sam limited kim to partner/'],
  ['member.limited', { target: KIM, data: { limited_to: [] } }, 'sam let kim see everything again'],
  [
    'group.changed',
    { target: { kind: 'group', id: 'g1', name: 'Partners' }, data: { people_added: ['u2'] } },
    'sam changed the group Partners: 1 added, 0 removed',
  ],
  ['member.role_changed', { target: KIM, data: { role: 'owner' } }, 'sam made kim an owner'],
  ['member.removed', { target: KIM }, 'sam removed kim'],
  ['member.removed', { target: SAM }, 'sam left the workspace'],
  ['user.password_changed', { target: SAM }, 'sam changed their password'],
  ['user.password_reset', { target: KIM }, 'sam reset the password of kim'],
  [
    'delivery.machine',
    { target: BUNDLE, data: { versions: [['A', 1]] } },
    'ci-deploy got 1 value of dev/app',
  ],
  [
    'delivery.refused',
    { target: MACHINE, data: { reason: 'token_expired', count: 12 } },
    'ci-deploy was refused 12 times: its token has expired',
  ],
  [
    'delivery.refused',
    { target: MACHINE, data: { reason: 'token_expired', count: 1 } },
    'ci-deploy was refused: its token has expired',
  ],
  [
    'machine.changed',
    { target: MACHINE, data: { changed: ['name'], is_active: false } },
    'sam changed the machine ci-deploy',
  ],
  [
    'machine.changed',
    { target: MACHINE, data: { changed: ['is_active'], is_active: false } },
    'sam changed the machine ci-deploy and stopped it',
  ],
  [
    'webhook.changed',
    { target: WEBHOOK, data: { changed: ['is_active'], is_active: false } },
    'sam changed the webhook to hooks.example, which is off',
  ],
  [
    'webhook.changed',
    { target: WEBHOOK, data: { changed: ['is_active'], is_active: true } },
    'sam changed the webhook to hooks.example, which is on',
  ],
  [
    'machine.granted',
    { target: MACHINE, data: { bundle: { id: 'b2', name: 'prod/app' }, scope: 'deliver' } },
    'sam let the machine ci-deploy fetch the values of prod/app',
  ],
  [
    'trust.created',
    { target: MACHINE, data: { issuer: 'https://gitlab.com', is_broad: true } },
    'sam let an identity of https://gitlab.com be the machine ci-deploy, although the trust is broad',
  ],
  [
    'token.rotated',
    { target: MACHINE, data: { hint: '3SBX' } },
    'sam replaced a token of the machine ci-deploy by the token that ends in 3SBX',
  ],
]

test.each(CASES)('%s with %o reads as a sentence', (action, given, text) => {
  expect(sentenceText(entry(action, given))).toBe(text)
})

describe('what has a page is a link', () => {
  test('keys and bundles are', () => {
    const parts = sentenceOf(entry('bundle.detached', { target: BUNDLE, data: { key: PORT } }))
    expect(parts.filter((part) => typeof part !== 'string').map(({ kind, id }) => [kind, id])).toEqual([
      ['person', 'u1'],
      ['key', 'k2'],
      ['bundle', 'b1'],
    ])
  })

  test('machines are, as targets and as actors', () => {
    const link = { kind: 'program', id: 'm1', name: 'ci-deploy' }
    expect(sentenceOf(entry('machine.granted', { target: MACHINE }))).toContainEqual(link)
    expect(sentenceOf(entry('token.created', { target: MACHINE }))).toContainEqual(link)
    expect(sentenceOf(entry('delivery.machine', { target: BUNDLE }))[0]).toEqual(link)
  })

  test.each([
    ['key.deleted', KEY],
    ['machine.deleted', MACHINE],
  ] as const)('what %s names is not', (action, target) => {
    expect(sentenceOf(entry(action, { target }))).toContainEqual({ ...target, kind: 'name' })
  })
})

// What the log records of a change: what a call can change, and what follows from it.
test.each([
  ...Object.keys({ ...UpdateBundle.shape, ...UpdateKey.shape, ...PolicySetting.shape }),
  'email',
  'mails',
  'production',
])('a changed %s has words of its own', (field) => {
  const other = 'sam changed other details of dev/app'
  const given = { target: BUNDLE, data: { changed: [field] } }
  const text = sentenceText(entry('bundle.changed', given))
  const hasNone = ['expected', 'expected_version', 'release'].includes(field)
  expect(text === other).toBe(hasNone)
  expect(text).toMatch(/^sam changed \S.* of dev\/app$/)
})

test.each([
  ['denied', 'the request was denied'],
  ['withdrawn', 'the request was withdrawn'],
  ['expired', 'the request expired'],
  ['wrong_code', 'its code was wrong'],
  ['plan_changed', 'something had changed'],
  ['refused', 'it was refused'],
])('an approval that had no effect because of %s says so', (reason, words) => {
  expect(sentenceText(entry('delivery.void', { target: BUNDLE, data: { reason } }))).toBe(
    `sam approved dev/app, and nothing was delivered: ${words}`,
  )
})

test('names that terminals and people choose cannot reorder the sentence', () => {
  const origin = { ...TERMINAL, hostname: 'lap\u202etop' }
  expect(sentenceText(entry('delivery.collected', { target: BUNDLE, origin }))).toContain(
    'sam@laptop collected',
  )
})
