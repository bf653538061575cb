import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import vectors from '../../vectors/tenant-key.json' with { type: 'json' }
import { formatRootKey, generateRootKey, parseRootKey, RootKeyRing } from './root-key.ts'

test.for(vectors.rootKeys)('has the id that others derive: $id', ({ text, id }) => {
  expect(parseRootKey(text).id).toBe(id)
})

test('parse reads what format writes', () => {
  const made = generateRootKey()
  const read = parseRootKey(formatRootKey(made))
  expect(read.id).toBe(made.id)
  expect(read.bytes).toEqual(made.bytes)
  expect(parseRootKey(`${formatRootKey(made)}\n`).id).toBe(made.id)
})

test.for<[string, string]>([
  ['', 'empty'],
  ['c2hvcnQ=', 'too short'],
  [Buffer.alloc(33, 'ab').toString('base64'), 'too long'],
  [Buffer.alloc(32).toString('base64'), 'all zero'],
  [Buffer.alloc(32, 'x').toString('base64'), 'one letter repeated'],
  ['please replace me with 32 bytes!', 'not base64'],
])('%j is no root key (%s)', ([text]) => {
  expect(() => parseRootKey(text)).toThrow(expect.objectContaining({ code: 'bad_root_key' }))
})

test('printing or serialising a root key shows its id alone', () => {
  const rootKey = generateRootKey()
  expect(JSON.stringify(rootKey)).toBe(JSON.stringify({ id: rootKey.id }))
  expect(inspect(rootKey, { maxArrayLength: null }).replaceAll(/\s+/g, '')).not.toContain(
    rootKey.bytes.subarray(0, 8).join(','),
  )
})

test('the id says nothing about the bytes', () => {
  const rootKey = generateRootKey()
  expect(Buffer.from(rootKey.bytes).toString('hex')).not.toContain(rootKey.id)
  expect(rootKey.id).toMatch(/^[0-9a-f]{16}$/)
})

test('in a ring the first key wraps and each is found by its id', () => {
  const [one, other] = [generateRootKey(), generateRootKey()]
  const ring = new RootKeyRing([one, other])
  expect(ring.first).toBe(one)
  expect(ring.find(one.id)).toBe(one)
  expect(ring.find(other.id)).toBe(other)
  expect(ring.find(generateRootKey().id)).toBeUndefined()
})

test('a ring needs a key', () => {
  expect(() => new RootKeyRing([])).toThrow(expect.objectContaining({ code: 'bad_root_key' }))
})
