import { Plaintext } from '@keyferry/crypto/plaintext'
import { expect, test } from 'vitest'
import type { StampedChange } from './key.ts'
import { type CurrentKey, effectiveChange, keyChanged } from './key-change.ts'

const stamp = { tenantId: 'tenant', by: 'user', at: '2026-06-01T00:00:00.000Z', origin: null }
const lifetime = { expires_at: null, rotate_after_days: null }
const CURRENT = {
  version: 3,
  is_secret: false,
  isTemplate: false,
  description: 'before',
  ...lifetime,
}
const BY_HAND = { how: 'set', restoredFrom: null } as const

function effect(change: Omit<StampedChange, 'stamp'>, current: Partial<CurrentKey> = {}) {
  const value = Plaintext.of('old')
  const currentValue = { open: () => value, isSame: (other: Plaintext) => other.equals(value) }
  return effectiveChange({ ...CURRENT, ...current }, currentValue, { ...change, stamp })
}

const event = (change: Omit<StampedChange, 'stamp'>, how: 'set' | 'restore' = 'set') => {
  const effective = effect(change)
  const key = { tenantId: 't', id: 'k', name: 'NAME', is_secret: false }
  return effective && keyChanged(key, effective, { ...BY_HAND, how })
}

test('a change that changes nothing has no effect', () => {
  expect(effect({})).toBeNull()
  expect(effect({ value: Plaintext.of('old'), is_secret: false, description: 'before' })).toBeNull()
})

test('another value is the next version', () => {
  expect(effect({ value: Plaintext.of('new') })).toMatchObject({ version: 4, changed: ['value'] })
})

test('a mark or a description keeps the version', () => {
  const change = { value: Plaintext.of('old'), is_secret: true, description: 'after' }
  expect(effect(change)).toMatchObject({
    version: 3,
    changed: ['is_secret', 'description'],
    value: undefined,
  })
})

test('a text that becomes a template is the next version, with the same text', () => {
  const effective = effect({ isTemplate: true })
  expect(effective).toMatchObject({ version: 4, changed: ['value', 'is_template'] })
  expect(effective?.value?.reveal()).toBe('old')
})

test('the event says what changed', () => {
  expect(event({ value: Plaintext.of('new') })?.action).toBe('key.changed')
  expect(event({ value: Plaintext.of('new') }, 'restore')?.action).toBe('key.restored')
  expect(event({ is_secret: true })?.action).toBe('key.declared_secret')
  const described = event({ description: 'after' })
  expect(described?.action).toBe('key.described')
  expect(described?.data).toEqual({ version: 3, is_secret: false, changed: ['description'] })
  const changed = ['value', 'is_template']
  expect(event({ isTemplate: true })?.data).toEqual({
    version: 4,
    is_secret: false,
    is_template: true,
    changed,
  })
})
