import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { seal } from '@keyferry/crypto/seal'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RECEIPT_KEYS, receiptFor } from '../../test/receipts.ts'
import { stage } from '../../test/stage.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { readWaitAnswer } from '../server/wait-answer.ts'
import { checkReceipt } from './delivered-values.ts'
import type { ValuesRequest } from './values-request.ts'

const SERVER = 'https://keyferry.example.com'
const ID = '7f9c2ba4e88f827d616045507605853e'
const keyPair = generateKeyPair()
const ciphertext = Buffer.from(seal(Buffer.from('{}'), keyPair.publicKey)).toString('base64')

let folder: string
let parts: Parts

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-receipt-'))
  const answer = { status: 200, retryAfterMs: null, dateMs: null, location: null }
  parts = {
    ...stage({ XDG_STATE_HOME: folder }, '/'),
    exchange: async () => ({ ...answer, body: JSON.stringify(RECEIPT_KEYS) }),
  }
})

afterEach(() => rmSync(folder, { recursive: true }))

const request: ValuesRequest = {
  server: SERVER,
  bundle: 'dev/app',
  workspace: null,
  isWorkspaceFlag: false,
  folder: '/',
  acceptsAnyBundle: false,
  keys: [],
  optionalKeys: [],
  prefix: '',
  allowedNames: [],
  agent: null,
  reason: null,
  as: null,
  isRemembered: false,
  use: { redaction: 'auto', flags: [] },
  requiredAssurance: null,
  receiptFile: null,
  hidesQrCode: false,
  format: 'sh',
  command: ['true'],
  via: 'run',
  whyNotOpen: null,
}

const pending: PendingRequest = {
  server: SERVER,
  id: ID,
  keyPair,
  verifier: 'v',
  approvalUrl: `${SERVER}/approve/${ID}`,
  shownUrl: `${SERVER}/approve/${ID}`,
  userCode: 'WDJB-MJHT',
  intervalMs: 3_000,
  lifetimeMs: 300_000,
  deadlineMs: 300_000,
  remembered: null,
  whyNotRemembered: null,
  mayLeave: false,
  epoch: null,
}

/** What comes of a delivery with this receipt; null: without one. */
async function checked(changes: object | null, at: ValuesRequest = request): Promise<unknown> {
  const asked = { id: ID, publicKey: keyPair.publicKey, body: { argv: ['true'] } }
  const receipt =
    changes === null ? {} : { receipt: receiptFor(asked, { ciphertext, names: [] }, { ...changes }) }
  const body = JSON.stringify({ status: 'ready', ciphertext_base64: ciphertext, ...receipt })
  const answer = { status: 200, body, retryAfterMs: null, dateMs: null, location: null }
  const outcome = readWaitAnswer(answer)
  if (outcome.kind !== 'ready') throw new Error('not ready')
  return await checkReceipt(outcome.delivery, { request: at, pending, parts })
}

test('a server that signed once must go on signing', async () => {
  expect(await checked(null)).toBeNull()
  expect(await checked({})).toMatchObject({ approvers: ['sam'], releasedBy: 'loopback' })
  await expect(checked(null)).rejects.toThrow('signed its deliveries before')
})

test('a repeated approval is local, an unbound one is nothing', async () => {
  const local: ValuesRequest = { ...request, requiredAssurance: 'local' }
  expect(await checked({ released_by: null, grant_id: 'g' }, local)).toMatchObject({ grantId: 'g' })
  await expect(checked({ released_by: null }, local)).rejects.toThrow('--require-assurance local')
  await expect(checked({ released_by: null }, { ...request, requiredAssurance: 'bound' })).rejects.toThrow(
    'bound',
  )
})
