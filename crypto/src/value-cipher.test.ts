import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/value-cipher.json' with { type: 'json' }
import { Plaintext } from './plaintext.ts'
import { createTenantKey } from './tenant-key.ts'
import { decryptValue, encryptValue, type ValueContext } from './value-cipher.ts'

const tenantKey = Buffer.from(vectors.tenantKey, 'hex')
const CONTEXT: ValueContext = {
  tenantId: 't',
  table: 'keys',
  rowId: 'r',
  column: 'value',
  version: 1,
  name: 'N',
  isSecret: true,
}
const text = fc.string({ unit: 'binary' })
const parts = {
  tenantId: text,
  table: text,
  rowId: text,
  column: text,
  version: fc.maxSafeNat(),
  name: text,
  isSecret: fc.boolean(),
  templateParts: fc.option(text),
}
const anyContext: fc.Arbitrary<ValueContext> = fc.record(parts)

test.for(vectors.valid)('decrypts what others encrypted: $name', ({ blob, context, plaintext }) => {
  expect(decryptValue(Buffer.from(blob, 'hex'), tenantKey, context).reveal()).toBe(plaintext)
})

test.for(vectors.invalid)('refuses: $name ($why)', ({ blob, context, code }) => {
  expect(() => decryptValue(Buffer.from(blob, 'hex'), tenantKey, context)).toThrow(
    expect.objectContaining({ code }),
  )
})

test('decrypt gives back what encrypt was given', () => {
  fc.assert(
    fc.property(text, anyContext, (value, context) => {
      const blob = encryptValue(Plaintext.of(value), tenantKey, context)
      expect(decryptValue(blob, tenantKey, context).reveal()).toBe(value)
    }),
  )
})

test('a blob decrypts in its own context only', () => {
  fc.assert(
    fc.property(anyContext, fc.record(parts, { requiredKeys: [] }), (context, changes) => {
      const elsewhere = { ...context, ...changes }
      const blob = encryptValue(Plaintext.of('value'), tenantKey, context)
      const read = () => decryptValue(blob, tenantKey, elsewhere).reveal()
      if (isDeepStrictEqual(context, elsewhere)) expect(read()).toBe('value')
      else expect(read).toThrow(expect.objectContaining({ code: 'bad_blob' }))
    }),
  )
})

test('letters moved from one part of the context to the next make another context', () => {
  fc.assert(
    fc.property(anyContext, fc.string({ minLength: 1 }), (context, moved) => {
      const [one, other] = [
        { ...context, table: context.table + moved },
        { ...context, rowId: moved + context.rowId },
      ]
      const blob = encryptValue(Plaintext.of('value'), tenantKey, one)
      expect(() => decryptValue(blob, tenantKey, other)).toThrow(
        expect.objectContaining({ code: 'bad_blob' }),
      )
    }),
  )
})

test('any changed byte is refused', () => {
  const blob = encryptValue(Plaintext.of('twelve bytes'), tenantKey, CONTEXT)
  fc.assert(
    fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const changed = Uint8Array.from(blob, (byte, position) => (position === index ? byte ^ change : byte))
      expect(() => decryptValue(changed, tenantKey, CONTEXT)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^(bad_blob|wrong_key)$/) }),
      )
    }),
  )
})

test("another tenant's key does not open it", () => {
  const blob = encryptValue(Plaintext.of('value'), tenantKey, CONTEXT)
  expect(() => decryptValue(blob, createTenantKey(), CONTEXT)).toThrow(
    expect.objectContaining({ code: 'wrong_key' }),
  )
})

test('a context with a lone surrogate is refused, because UTF-8 would replace it', () => {
  const broken = { ...CONTEXT, rowId: '\ud800' }
  expect(() => encryptValue(Plaintext.of('value'), tenantKey, broken)).toThrow(
    expect.objectContaining({ code: 'bad_context' }),
  )
})
