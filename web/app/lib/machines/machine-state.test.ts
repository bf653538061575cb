import { GITHUB_ISSUER } from '@keyferry/contract/machines/trusts'
import { describe, expect, test } from 'vitest'
import type { Machine, MachineToken, MachineTrust } from './answers.ts'
import { proofsOf, tokenState, warningsOf } from './machine-state.ts'

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString()

function token(change: Partial<MachineToken> = {}): MachineToken {
  return {
    id: 'token',
    hint: 'abcd',
    networks: [],
    created_by: 'someone',
    created_at: day(-30),
    expires_at: day(60),
    due: null,
    ended_at: null,
    last_used_at: null,
    last_used_ip: null,
    ...change,
  }
}

function trust(change: Partial<MachineTrust> = {}): MachineTrust {
  return {
    id: 'trust',
    issuer: GITHUB_ISSUER,
    audience: 'https://keyferry.example',
    claims: { repository_id: ['1'], ref: ['refs/heads/main'] },
    binding: 'required',
    networks: [],
    max_age_seconds: null,
    is_broad: false,
    has_keys: false,
    created_by: 'someone',
    created_at: day(-30),
    last_used_at: null,
    ...change,
  }
}

function machine(change: Partial<Machine> = {}): Machine {
  return {
    id: 'machine',
    name: 'ci',
    description: '',
    is_active: true,
    audit: false,
    created_by: 'someone',
    created_at: day(-30),
    updated_at: day(-30),
    last_delivery_at: day(-1),
    grants: [{ bundle: { id: 'bundle', name: 'prod/api' }, scope: 'deliver', created_at: day(-30) }],
    tokens: [token()],
    trusts: [],
    attempts: 0,
    ...change,
  }
}

test.each([
  ['works', token()],
  ['expiring', token({ due: 'expiring' })],
  ['expired', token({ due: 'expired' })],
  ['ended', token({ ended_at: day(-1), expires_at: day(-1) })],
] as const)('a token %s', (state, given) => {
  expect(tokenState(given)).toBe(state)
})

describe('warnings', () => {
  const names = (change: Partial<Machine>) => warningsOf(machine(change), NOW).map(({ name }) => name)

  test('a machine that works has none', () => expect(names({})).toEqual([]))
  test.each([
    ['disabled', { is_active: false }, ['Disabled']],
    [
      'with names only',
      { grants: [{ ...machine().grants[0], scope: 'read' }] as Machine['grants'] },
      ['Names only'],
    ],
    ['without a proof', { tokens: [] }, ['Cannot sign in']],
    ['with ended tokens only', { tokens: [token({ ended_at: day(-1) })] }, ['Cannot sign in']],
    ['with an expired token', { tokens: [token({ due: 'expired' })] }, ['Token expired']],
    [
      'with an expired token beside an identity',
      { tokens: [token({ due: 'expired' })], trusts: [trust()] },
      [],
    ],
    [
      'with a token that expires soon',
      { tokens: [token({ expires_at: day(5), due: 'expiring' })] },
      ['Token expires'],
    ],
    ['with a broad identity', { trusts: [trust({ is_broad: true })] }, ['Broad identity']],
    ['that never fetched', { last_delivery_at: null }, ['Never used']],
  ] as const)('a machine %s', (_case, change, expected) => {
    expect(names(change as Partial<Machine>)).toEqual(expected)
  })

  test('a rotated token is no reason for a warning, a token of another network is', () => {
    const old = token({ expires_at: day(1), due: 'expiring' })
    const next = token({ id: 'next', created_at: day(0) })
    expect(names({ tokens: [old, next] })).toEqual([])
    expect(names({ tokens: [old, { ...next, networks: ['10.0.0.0/8'] }] })).toEqual(['Token expires'])
  })
})

test('how a machine proves itself', () => {
  const tokens = [token(), token({ id: 'other' }), token({ id: 'ended', ended_at: day(-1) })]
  expect(proofsOf(machine({ tokens, trusts: [trust(), trust({ id: 'second' })] }))).toEqual([
    'GitHub Actions',
    '2 tokens',
  ])
})
