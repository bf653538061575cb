import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { encryptToAge } from './age.ts'
import { auditKeyOf, createAuditSeed, openAuditSeed, wrapAuditSeed } from './audit-key.ts'
import { decodeBase64 } from './base64.ts'
import { decryptBlob, encryptBlob } from './blob.ts'
import { signCaller } from './caller-signature.ts'
import { openChainNote } from './chain-note.ts'
import { readClientData } from './client-data.ts'
import { unwrapDepositKey, wrapDepositKey } from './deposit-key.ts'
import { derivationKey } from './derivation-key.ts'
import { frame } from './frame.ts'
import { generateKeyPair, keyPairFromSecretKey } from './key-pair.ts'
import { parseMinisignKey } from './minisign.ts'
import { open } from './open.ts'
import { verifyNewPasskey, verifyPasskeyUse } from './passkey.ts'
import { verifyPassword } from './password.ts'
import { Plaintext } from './plaintext.ts'
import { pollChallenge } from './poll-challenge.ts'
import { requirePublicKey } from './public-key.ts'
import { signRequest } from './request-signature.ts'
import { generateRootKey, parseRootKey, RootKeyRing } from './root-key.ts'
import { seal } from './seal.ts'
import { openNote, signNote, verifierKey } from './signed-note.ts'
import { createTenantKey, unwrapTenantKey, wrapTenantKey } from './tenant-key.ts'
import { encryptValue } from './value-cipher.ts'

/* The errors that an operator or a developer reads. */

const LONE = 'a\ud800'
const SHORT = new Uint8Array(31)

const rootKey = generateRootKey()
const ring = new RootKeyRing([generateRootKey()])
const pair = generateKeyPair()
const key = derivationKey(rootKey.bytes)
const context = frame('a test')
const blob = encryptBlob(Buffer.from('x'), key, context)
const box = seal(Buffer.from('x'), pair.publicKey)
const signer = { name: 'keyferry.example.com', ...auditKeyOf(createAuditSeed()) }
const other = { name: 'keyferry.example.com', ...auditKeyOf(createAuditSeed()) }
const facts = {
  method: 'GET',
  path: '/',
  body: new Uint8Array(),
  clientAddress: '',
  userId: 'ana',
  tenantId: 'acme',
}
const terms = { secret: 'the secret', nowSeconds: 1, nonce: 'n'.repeat(16) }
const value = {
  tenantId: 't',
  table: 'keys',
  rowId: 'k',
  column: 'value',
  version: 1,
  name: 'A',
  isSecret: true,
}

const signed = (changed: Partial<typeof facts & typeof terms>) => () =>
  signRequest({ ...facts, ...changed }, { ...terms, ...changed })
const encrypted = (changed: Partial<typeof value>) => () =>
  encryptValue(Plaintext.of('x'), createTenantKey(), { ...value, ...changed })
const changedLast = (bytes: Uint8Array) => bytes.with(bytes.length - 1, (bytes.at(-1) ?? 0) ^ 1)
const hashed = (cost: string) => () =>
  verifyPassword('any', `$argon2id$v=19$${cost}$${'A'.repeat(22)}$${'A'.repeat(43)}`)

const CEREMONY = { challenge: 'AAAA', origin: 'https://keyferry.example.com', rpId: 'keyferry.example.com' }
const device = new SoftwarePasskey()

const madeWith = (changed: object) => () =>
  verifyNewPasskey(device.create({ ...CEREMONY, ...changed }), CEREMONY)

async function usedWithOther() {
  const passkey = await verifyNewPasskey(device.create(CEREMONY), CEREMONY)
  const response = {
    ...new SoftwarePasskey().use({ ...CEREMONY, counter: 4 }),
    id: device.id,
    rawId: device.id,
  }
  return await verifyPasskeyUse(response, { ceremony: CEREMONY, passkey, requireUserVerification: true })
}

test.each<[refusal: string, act: () => unknown]>([
  ['a kit needs at least one public key of age', () => encryptToAge(SHORT, [])],
  [
    'audit key was wrapped by a root key that is not in use',
    () => openAuditSeed(wrapAuditSeed(createAuditSeed(), rootKey), ring),
  ],
  ['audit seed is not 32 bytes', () => auditKeyOf(SHORT)],
  ['not canonical base64', () => decodeBase64('AB==')],
  ['blob was made under another key', () => decryptBlob(blob, derivationKey(ring.first.bytes), context)],
  ['blob was changed, or belongs elsewhere', () => decryptBlob(blob, key, frame('another'))],
  ['blob is shorter than 40 bytes', () => decryptBlob(blob.subarray(0, 39), key, context)],
  ['blob is of an unknown format or algorithm', () => decryptBlob(blob.with(3, 2), key, context)],
  ['user id holds a colon', () => signCaller({ userId: 'a:b', tenantId: 'c' }, 'secret')],
  ['the note is not signed by this key', () => openChainNote(signNote('a\n', signer), verifierKey(other))],
  ['passkey was used in a frame of another site', madeWith({ crossOrigin: true })],
  ['client data is not JSON', () => readClientData(Buffer.from('{'))],
  ['client data is not an object', () => readClientData(Buffer.from('1'))],
  ['passkey response is refused', madeWith({ challenge: 'BBBB' })],
  ['passkey response has a wrong signature', usedWithOther],
  [
    'deposit key was wrapped by a root key that is not in use',
    () => unwrapDepositKey(wrapDepositKey(pair, rootKey), ring),
  ],
  ['text holds a lone surrogate', () => frame(LONE)],
  ['text holds a lone surrogate', () => Plaintext.of(LONE)],
  ['text holds a lone surrogate', signed({ userId: LONE })],
  ['bytes are not UTF-8', () => Plaintext.fromBytes(Uint8Array.of(0xff))],
  ['secret key is not 32 bytes', () => keyPairFromSecretKey(SHORT)],
  ['secret key is not 32 bytes', () => open(box, { ...pair, publicKey: pair.publicKey, secretKey: SHORT })],
  ['not a secret key of minisign without a password', () => parseMinisignKey('a comment\nAAAA\n')],
  ['sealed box was changed or sealed to another key', () => open(changedLast(box), pair)],
  ['sealed box is shorter than 48 bytes', () => open(box.subarray(0, 47), pair)],
  ['sealed box begins with a low-order point', () => open(box.fill(0, 0, 32), pair)],
  ['not an Argon2id PHC string', () => verifyPassword('any', 'x')],
  ['Argon2id cost is out of bounds', hashed('m=19456,t=17,p=1')],
  ['verifier is not 32 bytes of base64url', () => pollChallenge('x')],
  ['public key is not 32 bytes', () => requirePublicKey(SHORT)],
  ['public key is a low-order point', () => requirePublicKey(new Uint8Array(32))],
  ['time or nonce is malformed', signed({ nonce: 'n' })],
  ['root key is not 32 bytes', () => parseRootKey('AAAA')],
  ['root key is not random', () => parseRootKey(Buffer.alloc(32).toString('base64'))],
  ['a ring needs at least one root key', () => new RootKeyRing([])],
  ['a note must end in a line feed', () => signNote('a', signer)],
  ['not a signed note', () => openNote('a\n', verifierKey(signer))],
  ['not a verifier key of an Ed25519 public key', () => openNote(signNote('a\n', signer), 'x')],
  ['the name of a key has no blank and no plus', () => verifierKey({ ...signer, name: 'a b' })],
  [
    'tenant key was wrapped by a root key that is not in use',
    () => unwrapTenantKey(wrapTenantKey(createTenantKey(), rootKey, 't'), ring, 't'),
  ],
  ['tenant key is not 32 bytes', () => wrapTenantKey(SHORT, rootKey, 't')],
  ['version is not a safe integer from 0', encrypted({ version: -1 })],
  ['context is not well-formed text', encrypted({ name: LONE })],
])('an error says: %s', async (refusal, act) => {
  await expect((async () => act())()).rejects.toThrow(refusal)
})
