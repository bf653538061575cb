import { expect, test } from 'vitest'
import { invitationToken, mailedToken, usedToken } from './invitation-token.ts'
import { generateRootKey, parseRootKey, RootKeyRing } from './root-key.ts'

test('a token follows from the root key and the id, as another implementation of HKDF and HMAC derives it', () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, index) => index))
  const rootKey = parseRootKey(bytes.toString('base64'))
  expect(invitationToken(rootKey, 'inv-1')).toBe('PkjXs_Yq1unBZkpbiZUgsKJXeG30MXfV9Uj08G1G_PI')
  expect(invitationToken(rootKey, 'inv-2')).not.toBe(invitationToken(rootKey, 'inv-1'))
  expect(invitationToken(generateRootKey(), 'inv-1')).not.toBe(invitationToken(rootKey, 'inv-1'))
})

test('only the token of a mail counts as one, under each of the root keys', () => {
  const [first, second, stranger] = [generateRootKey(), generateRootKey(), generateRootKey()]
  const ring = new RootKeyRing([first, second])
  const token = invitationToken(first, 'inv-1')
  const mailed = mailedToken(second, token)
  expect(usedToken(ring, mailed)).toEqual({ token, isMailed: true })
  for (const sent of [token, `${token}${token}`, mailedToken(stranger, token), `${mailed}A`, ''])
    expect(usedToken(ring, sent)).toEqual({ token: sent, isMailed: false })
})
