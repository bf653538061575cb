import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestIdOf, shortApprovalPath } from './approval-link.ts'

test('a short address keeps all 128 bits, in 25 letters', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const id = Buffer.from(bytes).toString('hex')
      const path = shortApprovalPath(id) ?? ''
      expect(path).toBe(`/a/${Buffer.from(bytes).toString('base64url')}`)
      expect(path).toHaveLength(25)
      expect(requestIdOf(path.slice('/a/'.length))).toBe(id)
    }),
  )
})

test.each(['7f9c2ba4', 'x'.repeat(32), 'A'.repeat(32), ''])('%s has no short address', (id) => {
  expect(shortApprovalPath(id)).toBeNull()
})

test.each([
  'AAAAAAAAAAAAAAAAAAAAAB',
  'AAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAA==',
  `${'+'.repeat(21)}A`,
  '',
])('%s names no request', (part) => {
  expect(requestIdOf(part)).toBeNull()
})
