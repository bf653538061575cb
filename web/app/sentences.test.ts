import { join } from 'node:path'
import { ERROR_CODES } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import { GITHUB_ISSUER, GITLAB_ISSUER } from '@keyferry/contract/machines/trusts'
import { expect, test } from 'vitest'
import { ASKING, DONE, PROPOSING, WORDS } from './features/approval/kind-words.ts'
import { startAgain } from './features/approval/return-plan.ts'
import { ANSWERS, choiceOf, QUESTIONS, type RuleQuestion } from './features/rules/rule-words.ts'
import { describeFailure } from './lib/calls/failure.ts'
import { dangersOf, reasonWords } from './lib/machines/attempt-words.ts'
import { keySetIn } from './lib/machines/key-set.ts'
import { warningsOf } from './lib/machines/machine-state.ts'
import { emptyDraft, refusalOf, trustOf } from './lib/machines/trust-draft.ts'
import { callWords, EVENT_WORDS, MESSAGE_STATES, webhookState } from './lib/webhooks/webhook-words.ts'
import { DUE_NAMES } from './lib/words/due.ts'
import { noteOf, planText, storing } from './lib/words/import-steps.ts'
import { STATES } from './lib/words/proposal-words.ts'

/*
 * Sentences that the pages choose from must match sentences.txt. After an intended change, run this test with -u and
 * read the difference.
 */

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString()

const PLATFORMS = ['github', 'gitlab', 'kubernetes', 'other'] as const
const ACTIONS = ['create', 'own', 'share', 'update', 'replace', 'same', 'kept', 'detach'] as const
const REFUSED = ['', ': owner role required', ': not a member', ': user is inactive']

const RULES = {
  approvers: ['member', 'named', 'owner'],
  approvals_needed: [1, 2],
  touch: ['none', 'passkey', 'device'],
  remember_hours: [12, 8, 1, 0],
  tasks: ['allow', 'none'],
  assurance: ['compat', 'bound', 'local'],
  agents: ['remember', 'ask', 'deny'],
  changers: ['member', 'setter', 'owner'],
} as const

const LOOSEST = Object.fromEntries(Object.entries(RULES).map(([field, [loosest]]) => [field, loosest]))
const policyOf = (rule: object) => ({ ...LOOSEST, ...rule }) as never

const refusedAs = (status: number, code: string, message = 'a message') =>
  describeFailure(new CallError({ status, code, message, details: {}, retryAfterSeconds: null })).message

function unansweredWhile(onLine: boolean): string {
  Object.defineProperty(navigator, 'onLine', { value: onLine, configurable: true })
  return describeFailure(new TypeError('fetch failed')).message
}

function failures() {
  return [
    ...ERROR_CODES.map((code) => `${code}: ${refusedAs(400, code)}`),
    ...REFUSED.map((end) => refusedAs(403, 'forbidden', `Forbidden${end}`)),
    refusedAs(409, 'changed', 'changed after you read it; read it again'),
    ...[true, false].map(unansweredWhile),
  ]
}

const readers = (kind: keyof typeof WORDS) => [true, false].map((itself) => WORDS[kind].agent(itself))

function kinds() {
  const context = { deposit: null }
  return {
    WORDS,
    DONE,
    ASKING,
    PROPOSING,
    agents: [readers('delivery'), readers('deposit'), readers('names')],
    titles: Object.values(WORDS).map(({ title }) => title(context as never)),
    again: (['delivery', 'deposit'] as const).map((kind) =>
      startAgain({ kind, assurance: 'bound', release: ['loopback'] } as never),
    ),
  }
}

function trusts() {
  const broad = { status: 400, code: 'trust_too_broad', message: 'The message.', details: {} }
  return PLATFORMS.map((platform) => {
    const draft = emptyDraft(platform)
    const wrong = {
      ...draft,
      issuer: 'x',
      more: 'no claim',
      maxAge: '5',
      keys: 'x',
      projectId: 'a',
      repositoryId: 'a',
    }
    const named = { ...draft, more: 'a=b' }
    return { platform, wrong: trustOf(platform, wrong), lacking: refusalOf(platform, named, broad) }
  })
}

function machines() {
  const token = {
    id: 'a',
    hint: 'abcd',
    networks: [],
    created_at: day(-30),
    expires_at: day(5),
    ended_at: null,
  }
  const machine = {
    is_active: true,
    grants: [],
    trusts: [],
    tokens: [],
    created_at: day(-3),
    last_delivery_at: null,
  }
  const warnings = (change: object) => warningsOf({ ...machine, ...change } as never, NOW)
  return [
    warnings({}),
    warnings({
      is_active: false,
      grants: [{ scope: 'read' }],
      trusts: [{ is_broad: true, issuer: 'https://a.b' }],
    }),
    warnings({ tokens: [{ ...token, due: 'expired' }] }),
    warnings({ tokens: [{ ...token, due: 'expiring' }] }),
  ]
}

const dangers = (issuer: string, claims: Record<string, string>, chosen: string[] = []) =>
  dangersOf({ issuer, claims: { iss: issuer, ...claims } }, new Set(chosen))

function attempts() {
  const reasons = ['issuer', 'aud', 'iat', 'exp', 'network', 'binding', 'ref', 'ref, aud', '']
  return [
    dangers(GITHUB_ISSUER, { event_name: 'pull_request_target' }),
    dangers(GITHUB_ISSUER, { event_name: 'pull_request' }, ['repository_id']),
    dangers(GITHUB_ISSUER, { ref: 'refs/pull/1/merge' }, ['environment']),
    dangers(GITLAB_ISSUER, { pipeline_source: 'merge_request_event', ref_protected: 'false' }),
    ...reasons.map(reasonWords),
  ]
}

function imports() {
  const step = { name: 'A', key_id: null, is_secret: true, choices: [] }
  const notes = ACTIONS.flatMap((action) =>
    [0, 1, 3].flatMap((shared_total) =>
      ['A', 'B'].map((key_name) => {
        const shared_with = shared_total === 0 ? [] : ['dev/app']
        return `${action}${noteOf({ ...step, action, key_name, shared_with, shared_total })}`
      }),
    ),
  )
  const plans = [[], ['same'], ['create'], ['detach'], ['own', 'detach', 'detach']] as const
  return [
    ...new Set(notes),
    noteOf({ ...step, action: 'detach', key_name: 'A', shared_with: [], shared_total: 0, breaks: ['URL'] }),
    planText(ACTIONS.map((action) => ({ action }))),
    ...plans.map((plan) => storing(plan.map((action) => ({ action })))),
  ]
}

function webhooks() {
  const webhook = {
    is_active: true,
    failing_since: null,
    failures: 0,
    next_at: null,
    last_delivered_at: null,
  }
  const state = (change: object) => webhookState({ ...webhook, ...change } as never, NOW)
  const failing = { failing_since: day(-1), failures: 3, next_at: day(1) }
  const errors = [
    'target_refused',
    'dns',
    'tls',
    'refused',
    'timeout',
    'dropped',
    'expired',
    'interrupted',
    'http',
  ]
  const call = { attempts: 2, last_status: null, last_ms: 18 }
  return {
    EVENT_WORDS,
    MESSAGE_STATES,
    states: [
      state({}),
      state({ last_delivered_at: day(-1) }),
      state(failing),
      state({ ...failing, failures: 1, next_at: null }),
      ...[null, 'gone', 'failing'].map((ended_reason) => state({ is_active: false, ended_reason })),
    ],
    calls: [
      callWords({ ...call, attempts: 0, last_error: null }),
      ...errors.map((last_error) => callWords({ ...call, last_error })),
    ],
  }
}

function rules() {
  const choices = Object.entries(RULES).map(([field, values]) =>
    values.map((value) => choiceOf(field as keyof typeof RULES, value)),
  )
  const answers = (Object.keys(QUESTIONS) as RuleQuestion[]).map((question) => {
    const [one, other = one] = QUESTIONS[question].fields
    const policies = RULES[one].flatMap((a) => RULES[other].map((b) => policyOf({ [one]: a, [other]: b })))
    return [...new Set(policies.map((policy) => ANSWERS[question](policy, null)))]
  })
  const people = [[], ['ada'], ['ada', 'lee'], ['ada', 'lee', 'sam']]
  const named = RULES.approvals_needed.flatMap((approvals_needed) =>
    people.map((names) => ANSWERS.who(policyOf({ approvals_needed }), names)),
  )
  return { QUESTIONS, choices, answers, named }
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsIn)

test('a variable has one name', () => {
  const about = textsIn([failures(), kinds(), imports(), webhooks(), STATES, DUE_NAMES])
  expect(about.filter((text) => /\bkeys?\b/i.test(text))).toEqual([])
  const all = textsIn([about, trusts(), machines(), attempts(), rules()])
  // What a plan does begins with the word of the API.
  expect(all.filter((text) => /\b(library|attach\w*|detach\w*)\b(?! ·)/i.test(text))).toEqual([])
})

test('the sentences of the pages stay as they are', async () => {
  const keySets = ['x', '{}', '{"keys": [{"kty": "EC", "d": "x"}]}'].map(keySetIn)
  const sentences = {
    failures: failures(),
    kinds: kinds(),
    trusts: trusts(),
    keySets,
    machines: machines(),
    attempts: attempts(),
    imports: imports(),
    webhooks: webhooks(),
    rules: rules(),
    proposals: STATES,
    due: DUE_NAMES,
  }
  await expect(`${JSON.stringify(sentences, null, 1)}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'sentences.txt'),
  )
})
