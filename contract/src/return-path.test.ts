import { expect, test } from 'vitest'
import { askedReturn, returnPath } from './return-path.ts'

test.each(['/', '/bundles', '/approve/7f9c?x=1', '/bundles/dev%2Fapp#keys', '/invite/Zb3m_Tq-k'])(
  '%s is ours',
  (path) => {
    expect(returnPath(path)).toBe(path)
  },
)

test.each([
  '//attacker.example',
  '///attacker.example',
  '/\\attacker.example',
  '/\\/attacker.example',
  'https://attacker.example/bundles',
  'javascript:alert(1)',
  'bundles',
  '',
  '/\tattacker',
  '/a\r\nSet-Cookie: x=1',
  '/ä',
  '/sign-in',
  '/sign-in?return_to=/sign-in',
  '/auth/callback?code=x',
  '/..//attacker.example',
  `/${'a'.repeat(3_000)}`,
  null,
  undefined,
  ['/bundles'],
])('%j leads home', (path) => {
  expect(returnPath(path)).toBe('/')
})

test.each([
  ['?return_to=%2Fkeys%3Fquery%3DA', '/keys?query=A'],
  ['/sign-in?return_to=/approve/abc', '/approve/abc'],
  ['/sign-in?return_to=//attacker.example', '/'],
  ['/sign-in', '/'],
  ['', '/'],
])('%s returns to %s', (address, path) => {
  expect(askedReturn(address)).toBe(path)
})
