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

test.for(vectors.invalid)('refuses: $name ($why)', (made) => {
  expect(() => verified(made)).toThrow(refusal)
})

test.for(vectors.malformedKeys)('refuses a public key: $name ($why)', ({ publicKey }) => {
  const [made] = vectors.valid
  if (!made) throw new Error('no valid touch')
  expect(() => verified({ ...made, publicKey })).toThrow(refusal)
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
