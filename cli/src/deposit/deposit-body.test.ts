import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract/limits'
import { depositKeyId, signDepositKey } from '@keyferry/crypto/deposit'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import { expect, test } from 'vitest'
import { KEYS, RECEIPT_KEYS } from '../../test/receipts.ts'
import { answered, stage } from '../../test/stage.ts'
import { type DepositDraft, fetchDepositKey, sealDeposit } from './deposit-body.ts'

const { publicKey } = generateKeyPair()
const key = { kid: depositKeyId(publicKey), publicKey }

const EMPTY = { bundle: 'dev/app', workspace: null, detach: [], own: [], share: [], replace: [] } as const

const entriesOf = (count: number, value = '') =>
  Array.from({ length: count }, (_, index) => ({ name: `A${index}`, value, isSecret: null }))

const sealed = (content: Partial<DepositDraft>) =>
  sealDeposit(
    { ...EMPTY, also: [], entries: [], ...content },
    { key, publicKey, verifier: generatePollVerifier() },
  )

const { depositEntries: most, depositBytes: bytes } = LIMITS

test('all bundles and removals together have a bounded number of variables', () => {
  const also = [{ bundle: 'dev/web', entries: entriesOf(1) }]
  expect(sealed({ entries: entriesOf(most - 2), detach: ['OLD'], also }).deposit.also).toHaveLength(1)
  expect(() => sealed({ entries: entriesOf(most - 1), detach: ['OLD'], also })).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/^1001 variables with \d KiB are more than one approval can store$/),
      next: 'Nothing was stored. Import less at a time: at most 1000 variables and 256 KiB at a time.',
    }),
  )
})

test('the values together have a bounded size', () => {
  const around = JSON.stringify({ v: 1, binding: '0'.repeat(64), values: [''] }).length
  expect(sealed({ entries: entriesOf(1, 'x'.repeat(bytes - around)) }).deposit).not.toHaveProperty('also')
  expect(() => sealed({ entries: entriesOf(1, 'x'.repeat(bytes - around + 1)) })).toThrow(
    '1 variables with 257 KiB are more than one approval can store',
  )
})

const base64 = (of: Uint8Array) => Buffer.from(of).toString('base64')
const signed = { kid: KEYS.first.kid, signature: base64(signDepositKey(publicKey, KEYS.first)) }
const ANSWER = { kid: key.kid, public_key: base64(publicKey), signed_by: signed }

async function fetched(answer: object) {
  const parts = stage({ XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'keyferry-key-')) }, '/')
  const exchange = async ({ url }: { url: string }) =>
    answered(url.endsWith('/receipt-keys') ? RECEIPT_KEYS : answer)
  return await fetchDepositKey('https://keyferry.example.com', { ...parts, exchange })
}

test('the key of the server is one that its receipt key signed', async () => {
  const found = await fetched(ANSWER)
  expect([found.kid, base64(found.publicKey)]).toEqual([ANSWER.kid, ANSWER.public_key])
})

const UNSIGNED = 'the deposit key is not signed by the key of this server'
const UNKNOWN = 'the server sent a deposit key that this client does not know'
test.each<[string, object, string]>([
  ['of another name', { kid: '0'.repeat(16) }, UNSIGNED],
  ['that another key signed', { public_key: base64(generateKeyPair().publicKey) }, UNSIGNED],
  ['without a signature', { signed_by: null }, UNKNOWN],
  ['that is not base64', { public_key: 'not base64!' }, UNKNOWN],
  ['that is no text', { public_key: 7 }, UNKNOWN],
])('a key %s is refused', async (_, change, problem) => {
  await expect(fetched({ ...ANSWER, ...change })).rejects.toMatchObject({ exitCode: 6, message: problem })
})
