import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventMac, isEventMac } from './audit-chain.ts'
import { signCaller, verifyCaller } from './caller-signature.ts'
import { createDeviceSeed, deviceSignedForget, signDeviceForget } from './device-key.ts'
import { addressToken, invitationToken, isAddressToken, mailedToken, usedToken } from './invitation-token.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { Plaintext } from './plaintext.ts'
import { generatePollVerifier, pollChallenge, verifierMatches } from './poll-challenge.ts'
import { isSameReleaseHash, releaseHash } from './release.ts'
import { signRequest, verifyRequest } from './request-signature.ts'
import { generateRootKey, RootKeyRing } from './root-key.ts'
import { isRowMac, rowMac } from './row-mac.ts'
import { isSetupCode, setupCode } from './setup-code.ts'
import { createTouchNonce, createTouchToken, touchTokenFits } from './touch.ts'

/*
 * A comparison of a secret covers all of it. Each text below is right; the same text with one other character at any
 * place, a part of it and a longer one are wrong.
 */

type Compared = { text: string; fits: (text: string) => boolean | Promise<boolean>; places?: number[] }

const rootKey = generateRootKey()
const ring = new RootKeyRing([rootKey])
const macKey = createSecretKey(Buffer.alloc(32, 7))
const row = { table: 'tenants', version: 1, values: [['id', 'a']] } as const
const event = { tenantId: 'a', body: '{}', origin: null }
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const verifier = generatePollVerifier()
const challenge = pollChallenge(verifier)
const code = releaseHash('r', { by: 'code', secret: '482 913' })
const caller = { userId: 'u', tenantId: 't' }
const facts = { method: 'GET', path: '/', body: new Uint8Array(), clientAddress: '', ...caller }
const terms = { secrets: ['s'], nowSeconds: 1_800_000_000, windowSeconds: 60 }
const signed = signRequest(facts, { secret: 's', nowSeconds: terms.nowSeconds, nonce: 'n'.repeat(22) })
const token = invitationToken(rootKey, 'i')
const statement = Buffer.from('{}')
const proof = signDeviceForget(createDeviceSeed(), '2026-06-01T00:00:00.000Z')
const PASSWORD =
  'correct horse battery staple, and one more word that is long enough for every block of a hash'
const kept = await hashPassword(PASSWORD)

const COMPARED: Record<string, Compared> = {
  'a poll verifier': { text: verifier, fits: (text) => verifierMatches(challenge, text) },
  'a poll challenge': { text: challenge, fits: (text) => verifierMatches(text, verifier) },
  'the hash of a release': { text: code, fits: (text) => isSameReleaseHash(code, text) },
  'a code that a person types': {
    text: '482913',
    fits: (secret) => isSameReleaseHash(code, releaseHash('r', { by: 'code', secret })),
  },
  'the signature of a caller': {
    text: signCaller(caller, 's'),
    fits: (text) => verifyCaller(caller, text, ['s']),
  },
  'the id of a caller': {
    text: 'a7c1f1a2-6a42-4dd3-9d0b-0f5f6c3a9b11',
    fits: (userId) =>
      verifyCaller(
        { userId, tenantId: 't' },
        signCaller({ userId: 'a7c1f1a2-6a42-4dd3-9d0b-0f5f6c3a9b11', tenantId: 't' }, 's'),
        ['s'],
      ),
  },
  'the signature of a call': { text: signed, fits: (text) => verifyRequest(text, facts, terms) !== null },
  'the MAC of a row': {
    text: hexOf(rowMac(row, macKey)),
    fits: (text) => isRowMac(bytesOf(text), row, macKey),
  },
  'the MAC of an event': {
    text: hexOf(eventMac(event, macKey)),
    fits: (text) => isEventMac(bytesOf(text), event, macKey),
  },
  'the token of a mailed invitation': {
    text: mailedToken(rootKey, token),
    fits: (text) => usedToken(ring, text).isMailed,
  },
  'the token of an address': {
    text: addressToken(rootKey, 'u', 'sam@example.com'),
    fits: (text) => isAddressToken(ring, text, ['u', 'sam@example.com']),
  },
  'a set-up code': { text: setupCode(rootKey), fits: (text) => isSetupCode(text, setupCode(rootKey)) },
  'the token of a signature by a signing key': {
    text: createTouchToken({ nonce: createTouchNonce(1_800_000_000_000), statement }, rootKey),
    fits: (text) => touchTokenFits(text, statement, ring),
  },
  "the signature of a terminal's key": {
    text: hexOf(Buffer.from(proof.signature, 'base64')),
    fits: (text) => deviceSignedForget({ ...proof, signature: Buffer.from(text, 'hex').toString('base64') }),
  },
  'the nonce of a terminal': {
    text: proof.nonce,
    fits: (nonce) => deviceSignedForget({ ...proof, nonce }),
  },
  'a value of the library': {
    text: 'postgres://app@db/prod',
    fits: (text) => Plaintext.of('postgres://app@db/prod').equals(Plaintext.of(text)),
  },
  // Each try takes tens of milliseconds.
  'a password': {
    text: PASSWORD,
    fits: (text) => verifyPassword(text, kept),
    places: [0, PASSWORD.length - 1],
  },
}

/** Another character that the same kind of text may have. */
function otherThan(character: string): string {
  return character === '1' ? '2' : '1'
}

describe.each(Object.entries(COMPARED))('%s', (_, { text, fits, places }) => {
  test('fits as a whole', async () => expect(await fits(text)).toBe(true))

  test('does not fit with another character at any place', async () => {
    const fitting: number[] = []
    for (const at of places ?? Array.from(text, (__, index) => index)) {
      const changed = text.slice(0, at) + otherThan(text[at] ?? '') + text.slice(at + 1)
      if (await fits(changed)) fitting.push(at)
    }
    expect(fitting).toEqual([])
  })

  test('does not fit in part', async () => {
    expect(await fits(text.slice(0, -1))).toBe(false)
    expect(await fits(text.slice(0, Math.ceil(text.length / 2)))).toBe(false)
    expect(await fits('')).toBe(false)
  })

  test('does not fit with more at its end', async () => expect(await fits(`${text}11`)).toBe(false))
})
