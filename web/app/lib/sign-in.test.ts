import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { invitationToken, returnPath } from './sign-in.ts'

beforeEach(() => vi.stubGlobal('location', { origin: 'https://keyferry.example' }))
afterEach(() => vi.unstubAllGlobals())

test.each([
  ['?return_to=/approve/abc', '/approve/abc'],
  ['?return_to=%2Fkeys%3Fquery%3DA', '/keys?query=A'],
  ['', '/'],
])('%s leads to %s', (search, path) => {
  expect(returnPath(search)).toBe(path)
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
])('%j leads nowhere but home', (target) => {
  expect(returnPath(`?return_to=${encodeURIComponent(target)}`)).toBe('/')
})

test('an invitation is read from the address that sign-up returns to', () => {
  expect(invitationToken('?return_to=/invite/Zb3m-Tq_k')).toBe('Zb3m-Tq_k')
  expect(invitationToken('?return_to=/keys')).toBeNull()
  expect(invitationToken('')).toBeNull()
})
