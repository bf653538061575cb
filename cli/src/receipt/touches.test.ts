import { commandDigest } from '@keyferry/crypto/receipt'
import { touchChallenge } from '@keyferry/crypto/touch'
import { approvalKeyFingerprint } from '@keyferry/crypto/touch-signature'
import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../plumbing/test/software-passkey.ts'
import { signedApprovals } from './touches.ts'

const SERVER = 'https://keyferry.example.com'
const SITE = { origin: SERVER, rpId: 'keyferry.example.com' }
const COSE_BYTES = 77

const base64 = (text: string | Buffer, encoding: BufferEncoding = 'utf8') =>
  (typeof text === 'string' ? Buffer.from(text, encoding) : text).toString('base64')

class Person {
  readonly #device = new SoftwarePasskey()
  readonly publicKey: Buffer
  readonly id: string

  constructor(id: string) {
    this.id = id
    const { response } = this.#device.create({ ...SITE, challenge: 'x' })
    this.publicKey = Buffer.from(response.attestationObject, 'base64url').subarray(-COSE_BYTES)
  }

  signs(statement: object, changed: { origin?: string; isVerified?: boolean } = {}) {
    const leaf = { nonce: Buffer.alloc(32, 1), statement: Buffer.from(JSON.stringify(statement)) }
    const challenge = Buffer.from(touchChallenge(leaf)).toString('base64url')
    const { id, response } = this.#device.use({ ...SITE, challenge, counter: 1, ...changed })
    const touch = {
      statement: base64(leaf.statement),
      nonce: base64(leaf.nonce),
      credential_id: id,
      public_key: base64(this.publicKey),
      client_data: base64(response.clientDataJSON, 'base64url'),
      authenticator_data: base64(response.authenticatorData, 'base64url'),
      signature: base64(response.signature, 'base64url'),
    }
    return { touch, challenge }
  }
}

const [ada, sam] = [new Person('ada'), new Person('sam')]
const BUNDLE = { id: 'b', name: 'prod/app' }
const KEYS = [{ name: 'URL', key_id: 'k', version: 3 }]
const PARTS = [{ key_id: 'p', version: 1 }]
const RECEIPT = {
  v: 1,
  request_id: 'r',
  client_pubkey: 'c',
  ciphertext_sha256: 'd',
  argv_sha256: commandDigest(['npm', 'start']),
  workspace: { id: 't', name: 'Acme' },
  bundle: BUNDLE,
  keys: KEYS,
  parts: PARTS,
  approvers: [{ id: 'sam', username: 'sam' }],
  released_by: 'loopback',
}
const STATEMENT = {
  act: 'encryptFromBundle',
  tenant: 't',
  person: 'sam',
  bundle: BUNDLE,
  keys: KEYS,
  parts: PARTS,
  request: { id: 'r', client_pubkey: 'c', argv: ['npm', 'start'] },
  way: 'loopback',
  first: null,
}

test('a signature over what the receipt says is valid, and names its key', () => {
  const { touch } = sam.signs(STATEMENT)
  expect(signedApprovals({ touches: [touch] }, RECEIPT, SERVER)).toEqual([
    { person: 'sam', fingerprint: approvalKeyFingerprint(sam.publicKey) },
  ])
  expect(signedApprovals({}, RECEIPT, SERVER)).toEqual([])
})

test.each([
  { tenant: 'u' },
  { person: 'ada' },
  { bundle: { id: 'b', name: 'dev/app' } },
  { keys: [{ name: 'URL', key_id: 'k', version: 4 }] },
  { parts: [] },
  { way: 'code' },
  { first: { person: 'ada', touch: 'x' } },
  { request: { ...STATEMENT.request, id: 's' } },
  { request: { ...STATEMENT.request, client_pubkey: 'e' } },
  { request: { ...STATEMENT.request, argv: ['env'] } },
])('a signature over %j is refused', (changed) => {
  const { touch } = sam.signs({ ...STATEMENT, ...changed })
  expect(() => signedApprovals({ touches: [touch] }, RECEIPT, SERVER)).toThrow('is for another')
})

test('a signature that is changed, of another site, or without a verified person is refused', () => {
  const { touch } = sam.signs(STATEMENT)
  const changed = [
    { ...touch, public_key: base64(ada.publicKey) },
    { ...touch, nonce: base64(Buffer.alloc(32, 2)) },
    sam.signs(STATEMENT, { origin: `${SERVER}:8443` }).touch,
    sam.signs(STATEMENT, { isVerified: false }).touch,
  ]
  for (const each of changed)
    expect(() => signedApprovals({ touches: [each] }, RECEIPT, SERVER)).toThrow('is not valid')
  expect(() => signedApprovals({ touches: [{ ...touch, nonce: 1 }] }, RECEIPT, SERVER)).toThrow('cannot read')
})

test('of two people, the second signed the signature of the first', () => {
  const receipt = { ...RECEIPT, approvers: [{ id: 'ada' }, { id: 'sam' }] }
  const first = ada.signs({ ...STATEMENT, person: 'ada', way: null })
  const second = sam.signs({ ...STATEMENT, first: { person: 'ada', touch: first.challenge } })
  const touches = [first.touch, second.touch]
  expect(signedApprovals({ touches }, receipt, SERVER).map(({ person }) => person)).toEqual(['ada', 'sam'])
  expect(() => signedApprovals({ touches: [second.touch] }, receipt, SERVER)).toThrow('each person')
  const alone = [first.touch, sam.signs(STATEMENT).touch]
  expect(() => signedApprovals({ touches: alone }, receipt, SERVER)).toThrow('is for another first')
})

test('a deposit is bound to its box', () => {
  const { keys: _, parts: __, released_by: ___, ...facts } = RECEIPT
  const { keys: ____, parts: _____, ...statement } = STATEMENT
  const { touch } = sam.signs({ ...statement, box_sha256: 'd' })
  expect(signedApprovals({ touches: [touch] }, facts, SERVER)).toHaveLength(1)
  const other = sam.signs({ ...statement, box_sha256: 'e' }).touch
  expect(() => signedApprovals({ touches: [other] }, facts, SERVER)).toThrow('is for another values')
})
