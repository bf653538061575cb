import { expect, test } from 'vitest'
import { CryptoError } from './crypto-error.ts'

test('carries its code and its cause, and is an Error', () => {
  const cause = new Error('below')
  const error = new CryptoError('bad_blob', 'blob was changed', { cause })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'CryptoError', code: 'bad_blob', message: 'blob was changed', cause })
})
