import { expect, test } from 'vitest'
import vectors from '../../vectors/password.json' with { type: 'json' }
import { decoyHash, hashPassword, verifyPassword } from './password.ts'

test.for(vectors.valid)('accepts what libsodium hashed: $name', async ({ password, hash }) => {
  expect(await verifyPassword(password, hash)).toBe(true)
})

test('one password, typed as other code points, is one password', async () => {
  expect(await verifyPassword(vectors.normalised.password, vectors.normalised.hash)).toBe(true)
})

test.for(vectors.invalid)('refuses: $name ($why)', async ({ password, hash }) => {
  expect(await verifyPassword(password, hash)).toBe(false)
})

test.for(vectors.malformed)('is no hash: $name ($why)', async ({ hash, code }) => {
  await expect(verifyPassword('any', hash)).rejects.toMatchObject({ code })
})

test('verify accepts what hash made, and no two hashes are equal', async () => {
  const [one, other] = await Promise.all([hashPassword('pässword'), hashPassword('pässword')])
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(other)
  expect(await verifyPassword('pässword', one)).toBe(true)
  expect(await verifyPassword('Pässword', one)).toBe(false)
})

test('a hash of another cost still verifies', async () => {
  const hash = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  expect(await verifyPassword('any', hash)).toBe(false)
})

test('the decoy costs what a real hash costs, and no password has it', async () => {
  const real = await hashPassword('x')
  expect(decoyHash.replace(/[^$]+\$[^$]+$/, '')).toBe(real.replace(/[^$]+\$[^$]+$/, ''))
  expect(decoyHash.length).toBe(real.length)
  expect(await verifyPassword('', decoyHash)).toBe(false)
})
