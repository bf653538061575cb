import { expect, test } from 'vitest'
import { createReleaseCode, createReleaseSecret, releaseHash } from './release.ts'

test('a code is six digits in two groups', () => {
  for (let i = 0; i < 200; i++) expect(createReleaseCode()).toMatch(/^\d{3} \d{3}$/)
})

test('a secret has 256 random bits', () => {
  expect(createReleaseSecret()).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(createReleaseSecret()).not.toBe(createReleaseSecret())
})

test('a code counts however it is spaced; a secret counts as it is', () => {
  const code = releaseHash('r1', { by: 'code', secret: '482 913' })
  expect(releaseHash('r1', { by: 'code', secret: ' 482-913\n' })).toBe(code)
  expect(releaseHash('r1', { by: 'code', secret: '482914' })).not.toBe(code)
  expect(releaseHash('r1', { by: 'loopback', secret: 'a-b' })).not.toBe(
    releaseHash('r1', { by: 'loopback', secret: 'ab' }),
  )
})

test('a hash belongs to one request and one way', () => {
  const secret = '482913'
  const all = [
    releaseHash('r1', { by: 'code', secret }),
    releaseHash('r2', { by: 'code', secret }),
    releaseHash('r1', { by: 'loopback', secret }),
  ]
  expect(new Set(all).size).toBe(3)
})
