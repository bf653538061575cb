import { TIMES } from '@keyferry/contract'
import { describe, expect, test } from 'vitest'
import type { Caller } from '../people/membership.ts'
import { changersAt, mayChange, mayCompare, mayRestore, mayShow, type ValueRights } from './value-rights.ts'

const by = (userId: string, role: Caller['role'] = 'member'): Caller => ({
  userId,
  tenantId: 'a tenant',
  role,
  reach: null,
  origin: { requester_ip: '' },
})

// Sam set the value. Of the promoted one, Sam put it there unseen, and Lee typed it elsewhere.
const OWN: ValueRights = { value_set_by: 'sam', value_proposed_by: null, changers: 'setter' }
const PROMOTED: ValueRights = { ...OWN, value_proposed_by: 'lee' }

describe.each([
  ['an owner', by('kim', 'owner'), OWN, { changes: true, shows: true }],
  ['who set it', by('sam'), OWN, { changes: true, shows: true }],
  ['another member', by('kim'), OWN, { changes: false, shows: false }],
  [
    'who set it, where owners change',
    by('sam'),
    { ...OWN, changers: 'owner' },
    { changes: false, shows: false },
  ],
  [
    'another, where members change',
    by('kim'),
    { ...OWN, changers: 'member' },
    { changes: true, shows: false },
  ],
  ['an owner, of a promoted value', by('kim', 'owner'), PROMOTED, { changes: true, shows: true }],
  ['who promoted it', by('sam'), PROMOTED, { changes: false, shows: false }],
  ['whose value was promoted', by('lee'), PROMOTED, { changes: false, shows: false }],
  [
    'who promoted it, where members change',
    by('sam'),
    { ...PROMOTED, changers: 'member' },
    { changes: true, shows: false },
  ],
] as const)('%s', (_, caller, key, { changes, shows }) => {
  test(`${changes ? 'changes' : 'does not change'} it`, () => expect(mayChange(caller, key)).toBe(changes))
  test(`${shows ? 'shows' : 'does not show'} it`, () => expect(mayShow(caller, key)).toBe(shows))
  test('compares a secret only if they may show it', () => {
    expect(mayCompare(caller, { ...key, is_secret: true })).toBe(shows)
    expect(mayCompare(caller, { ...key, is_secret: false })).toBe(true)
  })
})

test('the strictest of several places counts, and without any, who set a value changes it', () => {
  expect(changersAt([])).toBe('setter')
  expect(changersAt([{ changers: null }])).toBe('setter')
  expect(changersAt([{ changers: 'member' }, { changers: null }])).toBe('member')
  expect(changersAt([{ changers: 'member' }, { changers: 'setter' }])).toBe('setter')
  expect(changersAt([{ changers: 'owner' }, { changers: 'setter' }])).toBe('owner')
})

describe('an older value is put back', () => {
  const set_at = '2030-01-01T00:00:00.000Z'
  const after = (seconds: number) => new Date(Date.parse(set_at) + seconds * 1_000).toISOString()
  const key = { ...OWN, version: 3, set_at }
  test.each([
    ['at the last moment', by('sam'), { version: 2, at: after(TIMES.undoSeconds) }, true],
    ['a moment too late', by('sam'), { version: 2, at: after(TIMES.undoSeconds + 0.001) }, false],
    ['two versions back', by('sam'), { version: 1, at: after(1) }, false],
    ['by another member', by('kim'), { version: 2, at: after(1) }, false],
    ['by an owner, at any time', by('kim', 'owner'), { version: 1, at: after(TIMES.undoSeconds * 9) }, true],
  ] as const)('%s', (_, caller, change, isAllowed) => {
    expect(mayRestore(caller, key, change)).toBe(isAllowed)
  })
})
