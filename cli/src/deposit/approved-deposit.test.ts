import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { depositBinding, depositKeyId, depositUserCode, signDepositKey } from '@keyferry/crypto/deposit'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KEYS, RECEIPT_KEYS, receiptFor } from '../../test/receipts.ts'
import { answered, type Stage, stage } from '../../test/stage.ts'
import type { ExchangeRequest } from '../base/exchange.ts'
import { openBox } from '../delivery/delivered-values.ts'
import { expectedWorkspace, forgetWorkspace } from '../project/workspace-pins.ts'
import { giveCode } from '../release/release-socket.ts'
import type { DepositDraft } from './deposit-body.ts'
import { storeWithApproval } from './store-with-approval.ts'

const SERVER = 'https://keyferry.example.com'
const ID = '01aa5ca1ab1e0ddba11c0ffee0ddba11'
const WORKSPACE = { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Acme' }
const OTHER = { id: 'e5a7d1c2-0c5e-4f0e-9a55-7a10f0b6a0e3', name: 'Acme' }
const COMMAND = ['keyferry', 'import', '.env', '--bundle', 'dev/app']
const CODE = '482913'
const CONTENT: DepositDraft = {
  bundle: 'dev/app',
  workspace: null,
  entries: [
    { name: 'A', value: '1', isSecret: true },
    { name: 'B', value: '2', isSecret: null },
  ],
  detach: ['OLD'],
  own: ['A'],
  share: [],
  replace: [],
  seen: [{ name: 'A', version: 3 }],
  also: [{ bundle: 'dev/web', entries: [{ name: 'C', value: '3', isSecret: false }] }],
}
const STORED = {
  kind: 'deposit',
  workspace: WORKSPACE,
  variables: ['A', 'B', 'OLD'].map((name) => ({ name, action: name === 'OLD' ? 'detach' : 'create' })),
  also: [{ bundle: { name: 'dev/web' }, variables: [{ name: 'C', action: 'create' }] }],
  stored_at: '2026-01-31T12:00:00.000Z',
}
const ALSO = { bundle: 'dev/web', counts: { create: 1 } }
const WAITING = `${SERVER}/w/${WORKSPACE.id}/waiting`
const STATEMENT = { kind: 'deposit_approval', workspace: WORKSPACE, also: [{ name: 'dev/web' }] }

const key = generateKeyPair()
const kid = depositKeyId(key.publicKey)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** What a server does that a person approved at; what is left out it does as it should. */
type Answers = {
  readonly statement?: object | null
  readonly end?: (signed: (changes: object) => object) => object
  readonly signer?: (typeof KEYS)['first']
  readonly isReturned?: boolean
}

let folder: string
let scene: Stage
let asked: string[]

beforeEach(() => {
  asked = []
  folder = mkdtempSync(join(tmpdir(), 'keyferry-approved-'))
  scene = stage({ XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder }, folder)
})

afterEach(() => rmSync(folder, { recursive: true }))

function bindingOf(body: Record<string, unknown>): string {
  const publicKey = Buffer.from(String(body['client_pubkey']), 'base64')
  const workspace = (body['workspace'] as string | undefined) ?? null
  return depositBinding({
    ...CONTENT,
    workspace,
    kid,
    publicKey,
    pollChallenge: String(body['poll_challenge']),
  })
}

function serverThat({ statement = {}, end, signer = KEYS.first, isReturned = false }: Answers) {
  const bodies: Record<string, unknown>[] = []
  let isReleased = isReturned
  const signed = (changes: object) => {
    const body = bodies[0] ?? {}
    const { ciphertext_base64: ciphertext } = body['deposit'] as { ciphertext_base64: string }
    const publicKey = Buffer.from(String(body['client_pubkey']), 'base64')
    return receiptFor({ id: ID, publicKey, body }, { ciphertext, names: [] }, { ...changes })
  }
  const applied = () => ({ status: 'applied', deposit: { receipt: signed(STORED) } })
  const held = () => ({
    status: 'pending',
    needs: 'release',
    release_by: 'code',
    ...(statement === null ? {} : { statement: signed({ ...STATEMENT, ...statement }) }),
  })
  const created = (body: Record<string, unknown>) => {
    bodies.push(body)
    const publicKey = Buffer.from(String(body['client_pubkey']), 'base64')
    const { ciphertext_base64 } = body['deposit'] as { ciphertext_base64: string }
    const box = Buffer.from(ciphertext_base64, 'base64')
    const user_code = depositUserCode(ID, { publicKey, binding: bindingOf(body), box })
    const uri = `/approve/${ID}`
    return {
      id: ID,
      verification_uri_complete: uri,
      interval: 1,
      expires_in: 300,
      assurance: 'bound',
      user_code,
    }
  }
  const exchange = async ({ url, body }: ExchangeRequest) => {
    const path = url.slice(SERVER.length).split('?')[0] ?? ''
    asked.push(path)
    if (path === '/api/v1/receipt-keys') return answered(RECEIPT_KEYS)
    if (path === '/api/v1/deposit-key') {
      const signed_by = { kid: signer.kid, signature: base64(signDepositKey(key.publicKey, signer)) }
      return answered({ kid, public_key: base64(key.publicKey), signed_by })
    }
    if (path === '/api/v1/requests') return answered(created(JSON.parse(body ?? '')), 201)
    if (path.endsWith('/release')) isReleased = true
    if (!path.endsWith('/wait')) return answered({ ok: true })
    return answered(isReleased ? (end?.(signed) ?? applied()) : held())
  }
  return { bodies, exchange }
}

/** A question about the workspace gets a yes. */
async function store(
  answers: Answers,
  workspace: string | null = WORKSPACE.id,
  view: Stage['view'] = 'quiet',
  agent: string | null = null,
) {
  const { bodies, exchange } = serverThat(answers)
  const keyboard = {
    ...scene.keyboard,
    isThere: () => true,
    askUntil: async (question: string) => (question.includes('[y/N]') ? 'y' : CODE),
  }
  const stderr = { ...scene.stderr, isTerminal: true }
  let isOver = false
  // A request that is refused would be asked for again until it expires.
  const sleep = async () => await (isOver ? new Promise<never>(() => undefined) : nextTurn())
  const clock = { ...scene.clock, sleep }
  try {
    const stored = await storeWithApproval(
      {
        server: SERVER,
        workspace,
        isWorkspaceFlag: workspace !== null,
        folder,
        command: COMMAND,
        agent,
        reason: null,
        receiptFile: null,
        whyNotOpen: 'no',
        hidesQrCode: true,
        content: CONTENT,
      },
      { ...scene, exchange, clock, stderr, view, keyboard },
    )
    return { stored, body: bodies[0] ?? {} }
  } finally {
    isOver = true
  }
}

const pinned = () =>
  expectedWorkspace({ text: null, isFlag: false, place: { server: SERVER, folder } }, scene).knownId

test('the values go sealed, and the receipt of the id in the command pins the workspace', async () => {
  const { stored, body } = await store({})
  expect(stored).toMatchObject({ bundle: 'dev/app', workspace: WORKSPACE, approvers: ['sam'] })
  const { ciphertext_base64: sealed, ...deposit } = body['deposit'] as { ciphertext_base64: string }
  expect({ ...body, deposit }).toMatchObject({
    kind: 'deposit',
    bundle_id: 'dev/app',
    workspace: WORKSPACE.id,
    argv: COMMAND,
    release: ['code'],
  })
  expect(body).not.toHaveProperty('may_ask_again')
  expect(deposit).toEqual({
    kid,
    entries: [{ name: 'A', is_secret: true }, { name: 'B' }],
    detach: ['OLD'],
    own: ['A'],
    share: [],
    replace: [],
    also: [{ bundle: 'dev/web', entries: [{ name: 'C', is_secret: false }] }],
  })
  const opened = JSON.parse(openBox(sealed, key))
  expect(opened).toEqual({
    v: 1,
    binding: bindingOf(body),
    values: ['1', '2', '3'],
    seen: CONTENT.seen,
  })
  expect(pinned()).toBe(WORKSPACE.id)
})

const proposed = (workspace: object) => () => ({ status: 'proposed', proposal: { workspace } })

test('what is kept for the owners pins nothing, unless the person confirmed the workspace', async () => {
  expect((await store({ end: proposed(WORKSPACE) })).stored).toBe('proposed')
  expect(pinned()).toBe(null)
  await store({ end: proposed(WORKSPACE) }, null)
  expect(pinned()).toBe(WORKSPACE.id)
})

test.each<[string, Answers, object]>([
  ['is stored', {}, { event: 'stored', approvers: ['sam'], counts: { create: 2, detach: 1 }, also: [ALSO] }],
  ['the owners decide about', { end: proposed(WORKSPACE) }, { event: 'proposed', url: WAITING }],
])('a program reads what %s', async (_, answers, event) => {
  const storing = store(answers, WORKSPACE.id, 'json')
  await expect.poll(() => scene.seen.stderr).toContain('release_needed')
  expect(await giveCode(ID, CODE, scene)).toBe('ok')
  await storing
  const last = JSON.parse(scene.seen.stderr.trim().split('\n').at(-1) ?? '')
  expect(last).toEqual({ bundle: 'dev/app', workspace: 'Acme', ...event })
})

test.each<[string, Answers, string]>([
  ['an approval of nobody', { statement: null }, 'does not say who approved this'],
  ['an approval of another command', { statement: { argv_sha256: 'x' } }, 'for another command'],
  ['an approval for another bundle', { statement: { bundle: { name: 'prod/app' } } }, 'for another bundle'],
  ['an approval for fewer bundles', { statement: { also: [] } }, 'for another bundle'],
  [
    'an approval for another workspace',
    { statement: { workspace: OTHER } },
    'approved by sam for the workspace',
  ],
  [
    'what this terminal did not return',
    { isReturned: true },
    'an approval that this terminal did not return',
  ],
  ['a change request elsewhere', { end: proposed(OTHER) }, 'keeps the change request in another workspace'],
  [
    'a receipt for another workspace',
    {
      end: (signed) => ({ status: 'applied', deposit: { receipt: signed({ ...STORED, workspace: OTHER }) } }),
    },
    'the receipt is for another workspace',
  ],
  ['a deposit key of a stranger', { signer: KEYS.foreign }, 'with another key than before'],
])('%s is refused, and pins nothing', async (_, answers, problem) => {
  await store({})
  forgetWorkspace({ server: SERVER, folder }, scene)
  await expect(store(answers)).rejects.toMatchObject({
    exitCode: 6,
    message: expect.stringContaining(problem),
  })
  expect(pinned()).toBe(null)
})

test('an agent has to say why, before anything is asked', async () => {
  await expect(store({}, WORKSPACE.id, 'quiet', 'helper')).rejects.toMatchObject({
    exitCode: 2,
    next: 'Add --reason TEXT: say in one sentence why you change the bundle.',
  })
  expect(asked).toEqual([])
})
