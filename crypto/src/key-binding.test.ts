import { expect, test } from 'vitest'
import { keyBinding } from './key-binding.ts'

test('a key is named by the SHA-256 of its bytes', () => {
  // SHA-256 of 32 zero bytes, by sha256sum.
  expect(keyBinding(new Uint8Array(32))).toBe('Zmh6rfhivXdsj8GLjp-OIAiXFIVu4jOzkCpZHQ1fKSU')
})
