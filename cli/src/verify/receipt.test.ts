import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KEYS, RECEIPT_KEYS, receiptFor } from '../../test/receipts.ts'
import { answered, type Stage, stage } from '../../test/stage.ts'
import { parseWords } from '../command-line/parse-words.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import { receiptCommand } from './receipt.ts'

const SERVER = 'https://keyferry.example.com'

let folder: string
let parts: Stage

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-receipt-'))
  parts = { ...stage({ XDG_STATE_HOME: folder }, '/'), exchange: async () => answered(RECEIPT_KEYS) }
  await keyOf(SERVER, KEYS.first.kid, parts)
})

afterEach(() => rmSync(folder, { recursive: true }))

/** What the command says of a receipt, in lines. */
async function said(changes: Record<string, unknown>): Promise<string[]> {
  const file = join(folder, 'receipt.json')
  const asked = { id: 'a'.repeat(32), publicKey: new Uint8Array(32), body: {} }
  const receipt = receiptFor(asked, { ciphertext: '', names: ['A', 'B'] }, changes)
  writeFileSync(file, JSON.stringify({ server: SERVER, ...receipt }))
  await receiptCommand.run(parseWords(receiptCommand, ['verify', file]), parts)
  return parts.seen.stdout.split('\n').slice(2, -1)
}

test('a receipt of values that came by themselves says that they did not return through the terminal', async () => {
  expect(await said({ released_by: null })).toEqual([
    `Request   ${'a'.repeat(32)}`,
    'Approved  2026-01-31T12:00:00.000Z by sam',
    'Bundle    dev/app',
    'Keys      A, B',
    'Returned  not through the terminal',
  ])
})

test('a receipt of stored values lists the names of each bundle by what happened, the changes first', async () => {
  const variables = [
    { name: 'A', action: 'same' },
    { name: 'B', action: 'create' },
    { name: 'C', action: 'create' },
    { name: 'D', action: 'detach' },
  ]
  const deposit = {
    kind: 'deposit',
    workspace: { id: 'w', name: 'Acme' },
    variables,
    also: [{ bundle: { name: 'dev/other' }, variables: [{ name: 'E', action: 'update' }] }],
    stored_at: '2026-01-31T12:30:00.000Z',
  }
  expect(await said(deposit)).toEqual([
    `Request   ${'a'.repeat(32)}`,
    'Stored    2026-01-31T12:30:00.000Z, approved by sam',
    'Bundle    dev/app in workspace Acme',
    'New       B, C',
    'Removed   D',
    'Same      A',
    'Bundle    dev/other in workspace Acme',
    'Updated   E',
  ])
})
