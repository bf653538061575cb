import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64 } from './base64.ts'

test('reads back what each encoder writes, padded or not', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const standard = Buffer.from(bytes).toString('base64')
      const urlSafe = Buffer.from(bytes).toString('base64url')
      for (const text of [standard, standard.replaceAll('=', ''), urlSafe]) {
        expect(Uint8Array.from(decodeBase64(text))).toEqual(bytes)
      }
    }),
  )
})

test('no two spellings of the same padding and alphabet decode to the same bytes', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/), (text) => {
      expect(respelled(text)).toBe(text)
    }),
  )
})

test.for([
  'a',
  '====',
  'QQ=',
  'Q=Q=',
  'QQ===',
  'QR==',
  'QUJ=',
  'Q Q=',
  'QQ==\n',
  '+-AA',
  '/_AA',
  'é',
  'QQ%3D%3D',
])('refuses %j', (text) => {
  expect(() => decodeBase64(text)).toThrow(expect.objectContaining({ code: 'bad_base64' }))
})

function respelled(text: string): string {
  try {
    return Buffer.from(decodeBase64(text)).toString('base64url')
  } catch {
    return text
  }
}
