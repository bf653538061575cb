import { expect, test } from 'vitest'
import vectors from '../../vectors/audit-log.json' with { type: 'json' }
import { CHAIN_START, chainHash, eventMac, isEventMac } from './audit-chain.ts'
import { auditKeyOf, createAuditSeed, openAuditSeed, wrapAuditSeed } from './audit-key.ts'
import { generateRootKey, RootKeyRing } from './root-key.ts'

const key = auditKeyOf(Buffer.from(vectors.seed, 'hex'))
const { tenantId } = vectors

test('the chain is what others compute', () => {
  let head = CHAIN_START
  for (const { line, hash } of vectors.chain) {
    head = chainHash(head, line)
    expect(head).toBe(hash)
  }
})

test.for(vectors.chain)('the MAC is what others compute: $name', ({ body, origin, mac }) => {
  expect(Buffer.from(eventMac({ tenantId, body, origin }, key.mac)).toString('hex')).toBe(mac)
})

test('a MAC is of one tenant, one body, one origin and one key', () => {
  const event = { tenantId, body: '{"id":"1"}', origin: '{"ip":"192.0.2.1"}' }
  const mac = eventMac(event, key.mac)
  expect(isEventMac(mac, event, key.mac)).toBe(true)
  expect(isEventMac(mac, { ...event, tenantId: 'other' }, key.mac)).toBe(false)
  expect(isEventMac(mac, { ...event, body: '{"id":"2"}' }, key.mac)).toBe(false)
  expect(isEventMac(mac, { ...event, origin: null }, key.mac)).toBe(false)
  expect(isEventMac(mac, event, auditKeyOf(createAuditSeed()).mac)).toBe(false)
  expect(isEventMac(mac.subarray(1), event, key.mac)).toBe(false)
})

test('a seed opens with the root key that wrapped it only', () => {
  const [rootKey, other] = [generateRootKey(), generateRootKey()]
  const seed = createAuditSeed()
  const wrapped = wrapAuditSeed(seed, rootKey)
  const opened = openAuditSeed(wrapped, new RootKeyRing([other, rootKey]))
  expect(Uint8Array.from(opened)).toEqual(seed)
  expect(() => openAuditSeed(wrapped, new RootKeyRing([other]))).toThrow(
    expect.objectContaining({ code: 'wrong_key' }),
  )
})
