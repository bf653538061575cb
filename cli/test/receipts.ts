import { decodeBase64 } from '@keyferry/crypto/base64'
import {
  boxDigest,
  commandDigest,
  createReceiptSeed,
  endorseReceiptKey,
  type ReceiptKey,
  receiptKeyOf,
  signReceipt,
} from '@keyferry/crypto/receipt'
import type { Asked } from './scripted-server.ts'

/** The first key of a server, one that it endorsed, and a stranger's. */
export const KEYS = {
  first: receiptKeyOf(createReceiptSeed()),
  second: receiptKeyOf(createReceiptSeed()),
  foreign: receiptKeyOf(createReceiptSeed()),
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** What `GET /api/v1/receipt-keys` answers. */
export const RECEIPT_KEYS = {
  keys: [
    { key: KEYS.second, endorsedBy: KEYS.first },
    { key: KEYS.foreign, endorsedBy: null },
    { key: KEYS.first, endorsedBy: null },
  ].map(({ key, endorsedBy }) => ({
    kid: key.kid,
    public_key: base64(key.publicKey),
    created_at: '2026-01-31T12:00:00.000Z',
    endorsed_by:
      endorsedBy === null
        ? null
        : { kid: endorsedBy.kid, signature: base64(endorseReceiptKey(key.publicKey, endorsedBy)) },
  })),
}

/** A receipt for what was asked and sealed. `changes` makes it a wrong one. */
export function receiptFor(
  { id, publicKey, body }: Omit<Asked, 'origin'>,
  { ciphertext, names }: { ciphertext: string; names: readonly string[] },
  { key = KEYS.first, ...changes }: { key?: ReceiptKey } & Record<string, unknown> = {},
): object {
  const argv = body['argv']
  const payload = Buffer.from(
    JSON.stringify({
      v: 1,
      origin: 'keyferry.example.com',
      request_id: id,
      client_pubkey: base64(publicKey),
      ciphertext_sha256: boxDigest(decodeBase64(ciphertext)),
      bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
      keys: names.map((name) => ({ name, key_id: null, version: null })),
      approvers: [{ id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', username: 'sam' }],
      approved_at: '2026-01-31T12:00:00.000Z',
      released_by: 'loopback',
      grant_id: null,
      argv_sha256: Array.isArray(argv) ? commandDigest(argv.map(String)) : null,
      ...changes,
    }),
  )
  return { kid: key.kid, payload: base64(payload), signature: base64(signReceipt(payload, key)) }
}
