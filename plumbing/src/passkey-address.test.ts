import { expect, test } from 'vitest'
import { passkeyAddress } from './passkey-address.ts'

test.each([
  ['https://keyferry.example.com', 'keyferry.example.com'],
  ['https://keyferry.example.com:8443', 'keyferry.example.com'],
  ['http://localhost:5393', 'localhost'],
  ['http://team.localhost:5393', 'team.localhost'],
])('%s carries passkeys', (url, rpId) => {
  expect(passkeyAddress(url)).toEqual({ origin: url, rpId })
})

test.each([
  'http://keyferry.example.com',
  'https://192.0.2.7',
  'http://127.0.0.1:5393',
  'https://[2001:db8::1]',
])('%s carries none', (url) => {
  expect(passkeyAddress(url)).toBeNull()
})
