import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KEYS, RECEIPT_KEYS, receiptFor } from '../../test/receipts.ts'
import { stage } from '../../test/stage.ts'
import type { Parts } from '../base/parts.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { checkedDeposit, storedOutcome } from './store-with-approval.ts'

const ID = '7f9c2ba4e88f827d616045507605853e'
const keyPair = generateKeyPair()
const box = new Uint8Array(80).fill(7)
const ciphertext = Buffer.from(box).toString('base64')
const command = ['keyferry', 'import', '.env', '--bundle', 'dev/app']
const content = {
  bundle: 'dev/app',
  workspace: null,
  entries: [{ name: 'A', value: '1', isSecret: null }],
  detach: ['OLD'],
  own: [],
  share: [],
  replace: [],
  also: [],
}
const stored = {
  kind: 'deposit',
  workspace: { id: 'w', name: 'Acme' },
  variables: [
    { name: 'A', action: 'create' },
    { name: 'OLD', action: 'detach' },
  ],
  counts: { create: 1, detach: 1 },
  stored_at: '2026-01-31T12:00:00.000Z',
}

let folder: string
let parts: Parts

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-deposit-receipt-'))
  const answer = { status: 200, retryAfterMs: null, dateMs: null, location: null }
  parts = {
    ...stage({ XDG_STATE_HOME: folder }, '/'),
    exchange: async () => ({ ...answer, body: JSON.stringify(RECEIPT_KEYS) }),
  }
})

afterEach(() => rmSync(folder, { recursive: true }))

function checked(changes: Record<string, unknown> = {}) {
  const asked = { id: ID, publicKey: keyPair.publicKey, body: { argv: command } }
  const receipt = receiptFor(asked, { ciphertext, names: [] }, { ...stored, ...changes })
  const pending = { id: ID, server: 'https://keyferry.example.com', keyPair }
  return checkedDeposit(
    receipt as SignedReceipt,
    { depositing: { content, command }, pending, box: () => box, workspaceId: 'w' },
    parts,
  )
}

test('what was stored comes from the signed receipt', async () => {
  const counts = { create: 1, detach: 1 }
  const event = { event: 'stored', bundle: 'dev/app', workspace: 'Acme', approvers: ['sam'], counts }
  const text = 'approved by sam: stored in dev/app in workspace "Acme": 1 new (A), 1 removed (OLD)'
  expect(storedOutcome(await checked())).toEqual({ event, text, bundle: 'dev/app', notes: [] })
})

test.each([
  ['another request', { request_id: '0'.repeat(32) }, 'another request'],
  ['another client', { client_pubkey: 'AAAA' }, 'another key'],
  ['other values', { ciphertext_sha256: '0'.repeat(64) }, 'other values'],
  ['another command', { argv_sha256: '0'.repeat(64) }, 'another command'],
  ['another workspace', { workspace: { id: 'x', name: 'Acme' } }, 'another workspace'],
  ['another bundle', { bundle: { name: 'prod/app' } }, 'another bundle'],
  ['fewer names', { variables: [{ name: 'A', action: 'create' }] }, 'other variables'],
  ['a delivery', { kind: undefined }, 'not for a deposit'],
  ['no variables', { variables: undefined }, 'lacks a list'],
  ['a format to come', { v: 2 }, 'does not know the format'],
])('a receipt for %s is refused', async (_what, changes, problem) => {
  await expect(checked(changes)).rejects.toThrow(problem)
})

test('a receipt of another signer is refused', async () => {
  await checked()
  await expect(checked({ key: KEYS.foreign })).rejects.toThrow('signs with another key than before')
})
