import { expect, test } from 'vitest'
import { digestOf } from './digest.ts'

test('the digest of a text is the SHA-256 of its UTF-8', () => {
  // FIPS 180-2, appendix B.1
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
