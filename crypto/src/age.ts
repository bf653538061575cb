import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { unpaddedBase64 } from './base64.ts'
import { sharedSecret } from './box-key.ts'
import { CryptoError } from './crypto-error.ts'
import { generateKeyPair, wipe } from './key-pair.ts'
import { requirePublicKey } from './public-key.ts'

/*
 * Files of age (https://age-encryption.org/v1) for X25519 recipients, armored. Only writing: people open them with age.
 */

const FILE_KEY_BYTES = 16
const KEY_BYTES = 32
const CHUNK_BYTES = 64 * 1024
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const NOTHING = Buffer.alloc(0)

/** Encrypt a short text to public keys of age.
 * @param plaintext up to 64 KiB
 * @param recipients as `age-keygen` prints them: `age1…`
 * @throws CryptoError bad_public_key: none, or not a public key of age */
export function encryptToAge(plaintext: Uint8Array, recipients: readonly string[]): string {
  if (recipients.length === 0 || plaintext.length > CHUNK_BYTES)
    throw new CryptoError('bad_public_key', 'a kit needs at least one public key of age')
  const fileKey = randomBytes(FILE_KEY_BYTES)
  const stanzas = recipients.map((recipient) => stanza(fileKey, publicKeyOf(recipient)))
  const header = `age-encryption.org/v1\n${stanzas.join('')}---`
  const mac = createHmac('sha256', derived(fileKey, NOTHING, 'header'))
    .update(header)
    .digest()
  const nonce = randomBytes(FILE_KEY_BYTES)
  // The last chunk has a 1 at the end of its counter.
  const body = sealed(derived(fileKey, nonce, 'payload'), Buffer.from([...Buffer.alloc(11), 1]), plaintext)
  wipe(fileKey)
  return armored(Buffer.concat([Buffer.from(`${header} ${unpaddedBase64(mac)}\n`), nonce, body]))
}

function stanza(fileKey: Uint8Array, recipient: Uint8Array): string {
  const { publicKey, secretKey } = generateKeyPair()
  const shared = sharedSecret({ publicKey: recipient, secretKey })
  const key = derived(shared, Buffer.concat([publicKey, recipient]), 'age-encryption.org/v1/X25519')
  return `-> X25519 ${unpaddedBase64(publicKey)}\n${unpaddedBase64(sealed(key, Buffer.alloc(12), fileKey))}\n`
}

function derived(secret: Uint8Array, salt: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES))
}

function sealed(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Buffer {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function armored(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN AGE ENCRYPTED FILE-----', ...lines, '-----END AGE ENCRYPTED FILE-----', ''].join('\n')
}

// Bech32 (BIP 173) with the prefix `age`.
function publicKeyOf(recipient: string): Uint8Array {
  const words = recipient
    .slice(4)
    .split('')
    .map((letter) => BECH32.indexOf(letter))
  const prefix = [3, 3, 3, 0, 1, 7, 5] // "age", expanded
  if (!/^age1[a-z0-9]{58}$/.test(recipient) || words.includes(-1) || checksum([...prefix, ...words]) !== 1)
    throw new CryptoError(
      'bad_public_key',
      `${JSON.stringify(recipient.slice(0, 80))} is no public key of age`,
    )
  const bits = words.slice(0, -6).map((word) => word.toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const key = Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
  requirePublicKey(key)
  return key
}

function checksum(words: readonly number[]): number {
  return words.reduce((sum, word) => {
    const mixed = ((sum & 0x1ffffff) << 5) ^ word
    return GENERATOR.reduce((so, part, bit) => ((sum >> (25 + bit)) & 1 ? so ^ part : so), mixed)
  }, 1)
}
