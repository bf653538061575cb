import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Plaintext } from './plaintext.ts'

const SECRET = 's3cr3t-value'

test.for<[string, (value: Plaintext) => unknown]>([
  ['a template', (value) => `${value.toString()} ${String(value)}`],
  ['join', (value) => [value].join('')],
  ['JSON', (value) => JSON.stringify({ value, list: [value] })],
  ['inspect', (value) => inspect(value, { showHidden: true, depth: 9 })],
  ['inspect without the custom form', (value) => inspect(value, { customInspect: false, showHidden: true })],
  ['format', (value) => format('%s %o %O %j', value, value, value, value)],
  ['a copy', (value) => inspect(Object.assign({}, value))],
  ['entries', (value) => inspect(Object.entries(Object.getOwnPropertyDescriptors(value)))],
  ['structuredClone', (value) => inspect(structuredClone(value), { showHidden: true })],
  ['serialize', (value) => Buffer.from(serialize(value)).toString('latin1')],
  ['an error', (value) => inspect(new Error('failed', { cause: value }))],
])('does not show in %s', ([, shown]) => {
  const output = String(shown(Plaintext.of(SECRET)))
  expect(output).not.toContain(SECRET)
  expect(output).not.toContain(Buffer.from(SECRET).toString('hex').slice(0, 8))
  expect(output).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 8))
})

test('shows what it is instead', () => {
  const value = Plaintext.of(SECRET)
  expect([String(value), inspect(value), JSON.stringify([value])]).toEqual([
    '[plaintext]',
    '[plaintext]',
    '["[plaintext]"]',
  ])
})

test('reveals every byte, and takes bytes as they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const value = Plaintext.of(text)
      expect(value.reveal()).toBe(text)
      expect(Plaintext.fromBytes(value.bytes()).reveal()).toBe(text)
      expect(Buffer.from(value.bytes()).equals(Buffer.from(text))).toBe(true)
    }),
  )
})

test('keeps a leading byte order mark', () => {
  expect(Plaintext.fromBytes(Buffer.from('\ufeffvalue')).reveal()).toBe('\ufeffvalue')
})

test('refuses text that UTF-8 cannot encode', () => {
  expect(() => Plaintext.of('a\ud800b')).toThrow(expect.objectContaining({ code: 'bad_text' }))
})

test.for(['ff', 'c080', 'eda080', 'f4908080', 'e282'])('refuses the bytes %s, which are not UTF-8', (hex) => {
  expect(() => Plaintext.fromBytes(Buffer.from(hex, 'hex'))).toThrow(
    expect.objectContaining({ code: 'bad_text' }),
  )
})
