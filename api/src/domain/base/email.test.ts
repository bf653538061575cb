import { expect, test } from 'vitest'
import { emailKey } from './email.ts'

test('capitals and the spelling of a domain make no difference', () => {
  expect(emailKey('Sam@Example.COM')).toBe('sam@example.com')
  expect(emailKey('sam@BÜCHER.example')).toBe(emailKey('sam@xn--bcher-kva.example'))
})

test('look-alike letters are different letters in a mailbox', () => {
  expect(emailKey('\u212aim@example.com')).not.toBe(emailKey('kim@example.com'))
  expect(emailKey('ſam@example.com')).not.toBe(emailKey('sam@example.com'))
})

test('a text without a domain stays a text', () => {
  expect(emailKey('Sam')).toBe('sam')
})
