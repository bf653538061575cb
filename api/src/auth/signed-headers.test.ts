import { signCaller } from '@keyferry/crypto/caller-signature'
import { signRequest } from '@keyferry/crypto/request-signature'
import { expect, test } from 'vitest'
import { createMemoryNonces } from './nonces.ts'
import { SignedCall } from './signed-headers.ts'

const SECRET = 'a shared secret of 32 bytes or more'
const NOW = new Date('2026-03-01T12:00:00Z')
const CALLER = { userId: 'user', tenantId: 'tenant' }

function signedCall(now: () => Date): SignedCall {
  const facts = { method: 'GET', path: '/api/v1/keys', body: new Uint8Array(), clientAddress: '192.0.2.7' }
  const stamp = { secret: SECRET, nowSeconds: NOW.getTime() / 1000, nonce: 'nonce-of-16-chars' }
  const headers = {
    'X-User-ID': CALLER.userId,
    'X-Tenant-ID': CALLER.tenantId,
    'X-Client-Address': facts.clientAddress,
    'X-Signature': signCaller(CALLER, SECRET),
    'X-Signature-V2': signRequest({ ...facts, ...CALLER }, stamp),
  }
  const rawHeaders = Object.entries(headers).flat()
  const nonces = createMemoryNonces(() => NOW.getTime())
  return new SignedCall(
    { method: facts.method, url: facts.path, rawHeaders, body: facts.body },
    { sharedSecrets: [SECRET], requireSignatureV2: false, nonces, now },
  )
}

test('one verification serves both the address and the caller', async () => {
  let clockReads = 0
  const call = signedCall(() => {
    clockReads += 1
    return NOW
  })
  expect(call.clientAddress).toBe('192.0.2.7')
  expect(await call.authenticate('member')).toEqual(CALLER)
  expect(clockReads).toBe(1)
})

test('reading the address uses no nonce; authenticating uses one', async () => {
  const call = signedCall(() => NOW)
  expect([call.clientAddress, call.clientAddress]).toEqual(['192.0.2.7', '192.0.2.7'])
  await call.authenticate('member')
  await expect(call.authenticate('member')).rejects.toThrow('Unauthorized')
})
