import { expect, test } from 'vitest'
import type { Key } from '../../lib/answers.ts'
import { isUsable, type PlanRow, planImport, writesValue } from './plan.ts'

const UNDECIDED = { skipped: new Set<string>(), secret: new Map<string, boolean>() }

function libraryKey(name: string, value: string, isSecret: boolean): Key {
  const at = '2026-01-31T12:00:00.000Z'
  const id = `id-${name}`
  return {
    id,
    name,
    value,
    is_secret: isSecret,
    description: '',
    created_at: at,
    created_by: '',
    updated_at: at,
    updated_by: '',
    updated_by_name: null,
    used_in_bundles: 1,
  }
}

function plan(name: string, value: string, keys: readonly Key[] = []): PlanRow {
  const [row] = planImport([{ name, value, line: 1 }], keys)
  if (row === undefined) throw new Error('no row')
  return row
}

test('a name that the library lacks is new', () => {
  expect(plan('A', '1').state).toBe('new')
})

test('an open value is compared: changed or same', () => {
  const keys = [libraryKey('A', '1', false)]
  expect(plan('A', '2', keys).state).toBe('changed')
  expect(plan('A', '1', keys).state).toBe('same')
})

test('a secret cannot be compared: its hidden value is replaced', () => {
  const row = plan('A', '1', [libraryKey('A', '*****', true)])
  expect(row.state).toBe('hidden')
  expect(writesValue(row, UNDECIDED)).toBe(true)
})

test('a mask never overwrites a value, and cannot make a key', () => {
  const existing = plan('A', '*****', [libraryKey('A', '*****', true)])
  expect(existing.state).toBe('masked')
  expect(writesValue(existing, UNDECIDED)).toBe(false)
  expect(isUsable(existing)).toBe(true)
  expect(isUsable(plan('A', '*****'))).toBe(false)
})

test('what is the same is written only to change whether it is secret', () => {
  const row = plan('A', '1', [libraryKey('A', '1', false)])
  expect(writesValue(row, UNDECIDED)).toBe(false)
  expect(writesValue(row, { ...UNDECIDED, secret: new Map([['A', true]]) })).toBe(true)
})

test('what is skipped is not written', () => {
  expect(writesValue(plan('A', '1'), { ...UNDECIDED, skipped: new Set(['A']) })).toBe(false)
})
