import { expect, test } from 'vitest'
import { createDeviceSeed } from './device-key.ts'
import { maskedCommandDigest } from './masked-command.ts'

test('other arguments have another digest, and so has another terminal', () => {
  const seed = createDeviceSeed()
  const digest = maskedCommandDigest(['a', '--token=1'], seed)
  expect(digest).toMatch(/^[\w-]{43}$/)
  expect(maskedCommandDigest(['a', '--token=1'], seed)).toBe(digest)
  expect(maskedCommandDigest(['a', '--token=2'], seed)).not.toBe(digest)
  expect(maskedCommandDigest(['a --token=1'], seed)).not.toBe(digest)
  expect(maskedCommandDigest(['a', '--token=1'], createDeviceSeed())).not.toBe(digest)
})
