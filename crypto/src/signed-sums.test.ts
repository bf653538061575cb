import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { minisignPublicKey, signMinisign } from './minisign.ts'
import { openSums, PUBLISHER_KEY, sumsComment } from './signed-sums.ts'

const key = { id: randomBytes(8), signer: generateKeyPairSync('ed25519').privateKey }
const publicKey = minisignPublicKey(key)
const SUM = 'a'.repeat(64)
const TEXT = `${SUM}  keyferry-1.2.3.tgz\n`
const signedAs = (comment: string) => signMinisign(Buffer.from(TEXT), key, comment)

test('a signed list says version, last day and files', () => {
  const signature = signedAs(sumsComment({ version: '1.2.3', expires: '2030-01-31' }))
  const sums = new Map([['keyferry-1.2.3.tgz', SUM]])
  expect(openSums(TEXT, signature, publicKey)).toEqual({ version: '1.2.3', expires: '2030-01-31', sums })
})

test('a changed list, and a comment that is of something else, are refused', () => {
  const signature = signedAs(sumsComment({ version: '1.2.3', expires: '2030-01-31' }))
  expect(() => openSums(TEXT.replace('a', 'b'), signature, publicKey)).toThrow('did not sign')
  expect(() => openSums(TEXT, signedAs('something else'), publicKey)).toThrow('names no version')
})

test('SECURITY.md shows the key of this source', () => {
  const page = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8')
  expect(/^ {4}(RW\S{54})$/m.exec(page)?.[1] ?? null).toBe(PUBLISHER_KEY)
})
