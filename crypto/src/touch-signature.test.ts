import { expect, test } from 'vitest'
import vectors from '../../vectors/touch.json' with { type: 'json' }
import { approvalKeyFingerprint, verifyTouch } from './touch-signature.ts'

type Made = Omit<(typeof vectors.valid)[number], 'name'>

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))
const { challenge, origin, rpId } = vectors.expected

function verified(made: Made, changed: Partial<Parameters<typeof verifyTouch>[1]> = {}): number {
  const { clientData, authenticatorData, signature, publicKey, isSynced, counter } = made
  return verifyTouch(
    { clientData: hex(clientData), authenticatorData: hex(authenticatorData), signature: hex(signature) },
    {
      challenge: hex(challenge),
      origin,
      rpId,
      publicKey: hex(publicKey),
      isSynced,
      counter,
      ...changed,
    },
  )
}

const refusal = expect.objectContaining({ name: 'CryptoError', code: 'bad_passkey' })

test.for(vectors.valid)('accepts: $name', (made) => {
  expect(verified(made)).toBe(made.counter === 0 ? 0 : 7)
  expect(verified(made, { counter: null })).toBe(made.counter === 0 ? 0 : 7)
})

/** The error for each vector, by its name or by its fault. */
const REASONS: Readonly<Record<string, string>> = {
  type: 'another ceremony',
  'signed for another act': 'another challenge',
  origin: 'another origin',
  'rp id': 'another host name',
  UP: 'no verified person',
  UV: 'no verified person',
  BE: 'a key of another kind',
  'BS without BE': 'a synced key that cannot be synced',
  counter: 'a counter that did not grow',
  AT: 'malformed data of the authenticator',
  ED: 'malformed extensions',
  signature: 'a wrong signature',
  crossOrigin: 'in a frame of another site',
  topOrigin: 'in a frame of another site',
  'no object': 'another ceremony',
  'no JSON': 'client data is not JSON',
  'a lone byte': 'client data is not JSON',
  'clientData changed': 'another ceremony',
  'clientData is empty': 'client data is not JSON',
  'authenticatorData changed': 'another host name',
  'authenticatorData is empty': 'malformed data of the authenticator',
  'signature changed': 'a wrong signature',
  'signature is empty': 'a wrong signature',
}

test.for(vectors.invalid)('refuses: $name ($why)', (made) => {
  expect(() => verified(made)).toThrow(refusal)
  expect(() => verified(made)).toThrow(REASONS[made.name] ?? REASONS[made.why] ?? 'a reason for this vector')
})

test.for(vectors.malformedKeys)('refuses a public key: $name ($why)', ({ publicKey }) => {
  const [made] = vectors.valid
  if (!made) throw new Error('no valid touch')
  expect(() => verified({ ...made, publicKey })).toThrow(refusal)
})

test('refuses a public key whose length takes more bytes than it needs', () => {
  const [made] = vectors.valid
  if (!made) throw new Error('no valid touch')
  const publicKey = made.publicKey.replace('215820', '21590020')
  expect(publicKey).not.toBe(made.publicKey)
  expect(() => verified({ ...made, publicKey })).toThrow('public key is malformed')
})

test.for(vectors.valid)('refuses each flipped bit and each cut of: $name', (made) => {
  const parts = ['clientData', 'authenticatorData', 'signature', 'publicKey'] as const
  const altered = parts.flatMap((part) => alterations(made[part]).map((text) => ({ ...made, [part]: text })))
  expect(altered.length).toBeGreaterThan(500)
  expect(altered.filter(accepts)).toEqual([])
})

test.for([
  { challenge: new Uint8Array(32) },
  { origin: `${origin}/` },
  { rpId: `${rpId}.` },
  { isSynced: true },
  { counter: 7 },
])('refuses the same touch where %j is expected', (changed) => {
  const [made] = vectors.valid
  if (!made) throw new Error('no valid touch')
  expect(() => verified(made, changed)).toThrow(refusal)
})

test.for(vectors.fingerprints)('has the fingerprint $fingerprint', ({ publicKey, fingerprint }) => {
  expect(approvalKeyFingerprint(hex(publicKey))).toBe(fingerprint)
  expect(fingerprint).toMatch(/^(?:[BCDFGHJKLMNPQRSTVWXZ]{4}-){4}[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
})

// One bit of each byte keeps the RSA case quick; which bit differs from byte to byte.
function alterations(text: string): string[] {
  const bytes = hex(text)
  const flipped = Array.from(bytes, (_, at) =>
    bytes.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte)),
  )
  const cut = Array.from(bytes, (_, at) => bytes.subarray(0, at))
  return [...flipped, ...cut].map((each) => Buffer.from(each).toString('hex'))
}

// Anything but a refusal is a fault, also another error.
function accepts(made: Made): boolean {
  try {
    verified(made)
    return true
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'CryptoError') throw error
    return false
  }
}
