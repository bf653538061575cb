import { expect, test } from 'vitest'
import { parseServerAddress } from './server-address.ts'

test.each([
  ['keyferry.example.com', 'https://keyferry.example.com'],
  ['example.com:8443/keys/', 'https://example.com:8443/keys'],
  ['localhost:5393', 'http://localhost:5393'],
  ['team.localhost:5393', 'http://team.localhost:5393'],
  ['http://team.localhost', 'http://team.localhost'],
  ['127.0.0.1', 'http://127.0.0.1'],
  ['[::1]:5393', 'http://[::1]:5393'],
  ['https://example.com/', 'https://example.com'],
])('%s means %s', (text, address) => {
  expect(parseServerAddress(text, '--server')).toBe(address)
})

test.each([
  'http://example.com',
  'http://localhost.example.com',
  'ftp://example.com',
  'me@example.com',
  '//example.com',
  '',
  'a b',
  'mailto:x',
])('%s is refused', (text) => {
  expect(() => parseServerAddress(text, '--server')).toThrow()
})
