import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each(['localhost', 'LOCALHOST', 'keyferry.localhost', '127.0.0.1', '127.8.9.1', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

test.each([
  '',
  '0.0.0.0',
  '::',
  '127.example.com',
  '127.0.0.1.example.com',
  'localhost.example.com',
  'mylocalhost',
  '10.0.0.1',
])('"%s" is not', (host) => {
  expect(isLoopback(host)).toBe(false)
})
