import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/tenant-key.json' with { type: 'json' }
import { keyIdOfBlob } from './blob.ts'
import { generateRootKey, parseRootKey, RootKeyRing } from './root-key.ts'
import { createTenantKey, unwrapTenantKey, wrapTenantKey } from './tenant-key.ts'

const ring = new RootKeyRing(vectors.rootKeys.map(({ text }) => parseRootKey(text)))
const unwrap = (blob: Uint8Array) => unwrapTenantKey(blob, ring, vectors.tenantId)

test.for(vectors.valid)('unwraps what others wrapped: $name', ({ blob, rootKeyId }) => {
  const bytes = Buffer.from(blob, 'hex')
  expect(keyIdOfBlob(bytes)).toBe(rootKeyId)
  expect(Buffer.from(unwrap(bytes)).toString('hex')).toBe(vectors.tenantKey)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ blob, code }) => {
  expect(() => unwrap(Buffer.from(blob, 'hex'))).toThrow(expect.objectContaining({ code }))
})

test('unwrap gives back what wrap was given, for that tenant alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (tenantId, otherId) => {
      const tenantKey = createTenantKey()
      const blob = wrapTenantKey(tenantKey, ring.first, tenantId)
      expect(Uint8Array.from(unwrapTenantKey(blob, ring, tenantId))).toEqual(tenantKey)
      if (otherId === tenantId) return
      expect(() => unwrapTenantKey(blob, ring, otherId)).toThrow(
        expect.objectContaining({ code: 'bad_blob' }),
      )
    }),
  )
})

test('any changed byte is refused', () => {
  const blob = wrapTenantKey(createTenantKey(), ring.first, 'a')
  fc.assert(
    fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Uint8Array.from(blob, (byte, index) => (index === at ? byte ^ change : byte))
      expect(() => unwrapTenantKey(changed, ring, 'a')).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(bad_blob|wrong_key)$/) }),
      )
    }),
  )
})

test('a new root key in front takes over, row by row', () => {
  const [before, after] = [generateRootKey(), generateRootKey()]
  const tenantKey = createTenantKey()
  const old = wrapTenantKey(tenantKey, before, 't')
  const during = new RootKeyRing([after, before])
  const renewed = wrapTenantKey(unwrapTenantKey(old, during, 't'), during.first, 't')
  expect(keyIdOfBlob(renewed)).toBe(after.id)
  expect(Uint8Array.from(unwrapTenantKey(renewed, new RootKeyRing([after]), 't'))).toEqual(tenantKey)
  expect(() => unwrapTenantKey(old, new RootKeyRing([after]), 't')).toThrow(
    expect.objectContaining({ code: 'wrong_key' }),
  )
})

test.for([0, 16, 31, 33])('%i bytes are no tenant key', (length) => {
  expect(() => wrapTenantKey(new Uint8Array(length), ring.first, 't')).toThrow(
    expect.objectContaining({ code: 'bad_tenant_key' }),
  )
})
