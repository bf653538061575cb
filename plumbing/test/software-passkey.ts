import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** What a response is made for; a test changes a part to show that it is refused. */
type Asked = {
  challenge: string
  origin: string
  rpId: string
  crossOrigin?: boolean | undefined
  topOrigin?: string
}

/** `isSynced`: can be on several devices. */
type Use = Asked & { counter?: number; isVerified?: boolean; isSynced?: boolean; userHandle?: string }

const PRESENT = 0x01
const VERIFIED = 0x04
const SYNCED = 0x18
const HAS_KEY = 0x40

type Pair = { privateKey: KeyObject; publicKey: KeyObject }
type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

const PAIRS: Readonly<Record<Algorithm, () => Pair>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

function coseOf(algorithm: Algorithm, publicKey: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const members = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytesOf(x)],
      [-3, bytesOf(y)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytesOf(x)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytesOf(n)],
      [-2, bytesOf(e)],
    ],
  } as const
  return cborMap(members[algorithm])
}

/** A passkey without a device: it makes the responses that a browser makes, for any origin. */
export class SoftwarePasskey {
  readonly id = randomBytes(16).toString('base64url')
  readonly #digest: 'sha256' | null
  readonly #key: KeyObject
  readonly #cose: Buffer

  constructor(algorithm: Algorithm = 'ES256') {
    const { privateKey, publicKey } = PAIRS[algorithm]()
    this.#digest = algorithm === 'EdDSA' ? null : 'sha256'
    this.#key = privateKey
    this.#cose = coseOf(algorithm, publicKey)
  }

  /** A `RegistrationResponseJSON` with attestation `none`. */
  create({ counter = 0, isVerified = true, isSynced = false, ...asked }: Use) {
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const flags = HAS_KEY | flagsOf(isVerified, isSynced)
    const head = authenticatorData(asked.rpId, flags, counter)
    const authData = Buffer.concat([head, Buffer.alloc(16), length, id, this.#cose])
    const attestation = cborMap([
      ['fmt', 'none'],
      ['attStmt', []],
      ['authData', authData],
    ])
    return {
      ...this.#named(),
      response: {
        clientDataJSON: clientData('webauthn.create', asked).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      },
    }
  }

  /** An `AuthenticationResponseJSON`. */
  use({ counter = 0, isVerified = true, isSynced = false, userHandle, ...asked }: Use) {
    const client = clientData('webauthn.get', asked)
    const data = authenticatorData(asked.rpId, flagsOf(isVerified, isSynced), counter)
    const signature = sign(this.#digest, Buffer.concat([data, sha256(client)]), this.#key)
    return {
      ...this.#named(),
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    }
  }

  #named() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const }
  }
}

function flagsOf(isVerified: boolean, isSynced: boolean): number {
  return PRESENT | (isVerified ? VERIFIED : 0) | (isSynced ? SYNCED : 0)
}

function clientData(type: string, { challenge, origin, crossOrigin = false, topOrigin }: Asked): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin, topOrigin }))
}

function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags, 0)
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(Buffer.from(rpId)), tail])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

type Cbor = number | string | Buffer | readonly []

function cborMap(pairs: readonly (readonly [Cbor, Cbor])[]): Buffer {
  return Buffer.concat([cborHead(5, pairs.length), ...pairs.flat().map(cbor)])
}

// An empty list means an empty map, the only nested one.
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return Buffer.concat([cborHead(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value])
  return cborHead(5, 0)
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
