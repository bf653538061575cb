import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { verifyNewPasskey, verifyPasskeyUse } from './passkey.ts'

const CEREMONY = {
  challenge: Buffer.alloc(32, 7).toString('base64url'),
  origin: 'https://keyferry.example.com',
  rpId: 'keyferry.example.com',
}
const OTHERS = [
  { challenge: Buffer.alloc(32, 8).toString('base64url') },
  { origin: 'https://keyferry.example.org' },
  { origin: 'http://keyferry.example.com' },
  { rpId: 'example.com' },
  { crossOrigin: true },
  { topOrigin: 'https://keyferry.example.com' },
]
const device = new SoftwarePasskey()
const made = () => verifyNewPasskey(device.create({ ...CEREMONY, counter: 3 }), CEREMONY)

const use = async (asked: Partial<Parameters<SoftwarePasskey['use']>[0]>, requireUserVerification = true) => {
  const response = device.use({ ...CEREMONY, counter: 4, ...asked })
  return await verifyPasskeyUse(response, {
    ceremony: CEREMONY,
    passkey: await made(),
    requireUserVerification,
  })
}

test('a new passkey gives its id, key and counter', async () => {
  const { credentialId, publicKey, counter } = await made()
  expect([credentialId, counter]).toEqual([device.id, 3])
  expect(publicKey.length).toBeGreaterThan(64)
})

test.each([...OTHERS, { isVerified: false }])('a new passkey of %j is refused', async (asked) => {
  const response = device.create({ ...CEREMONY, ...asked })
  await expect(verifyNewPasskey(response, CEREMONY)).rejects.toMatchObject({ code: 'bad_passkey' })
})

test.each(['ES256', 'EdDSA', 'RS256'] as const)('a passkey can sign by %s', async (algorithm) => {
  const key = new SoftwarePasskey(algorithm)
  const passkey = await verifyNewPasskey(key.create(CEREMONY), CEREMONY)
  const options = { ceremony: CEREMONY, passkey, requireUserVerification: true }
  expect(await verifyPasskeyUse(key.use({ ...CEREMONY, counter: 1 }), options)).toBe(1)
})

test('a use gives the next counter', async () => {
  expect(await use({})).toBe(4)
  expect(await use({ counter: 9 })).toBe(9)
})

test.each([...OTHERS, { isVerified: false }, { counter: 3 }, { counter: 0 }])(
  'a use of %j is refused',
  async (asked) => {
    await expect(use(asked)).rejects.toMatchObject({ code: 'bad_passkey' })
  },
)

test('user verification is needed only where it is required', async () => {
  expect(await use({ isVerified: false }, false)).toBe(4)
})

test('a signature of another key is refused', async () => {
  const response = {
    ...new SoftwarePasskey().use({ ...CEREMONY, counter: 4 }),
    id: device.id,
    rawId: device.id,
  }
  const options = { ceremony: CEREMONY, passkey: await made(), requireUserVerification: true }
  await expect(verifyPasskeyUse(response, options)).rejects.toMatchObject({ code: 'bad_passkey' })
})
