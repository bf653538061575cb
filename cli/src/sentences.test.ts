import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { CliError } from './base/cli-error.ts'
import { type ExchangeAnswer, NetworkError } from './base/exchange.ts'
import { type Arrived, deliveryIn, depositIn } from './delivery/wait.ts'
import { INPUT } from './mcp/tool.ts'
import {
  deliveryReceiptIn,
  depositReceiptIn,
  requireStored,
  statementIn,
  verifiedFields,
} from './receipt/receipt.ts'
import { readRemembered, readWhyNotRemembered } from './server/approval-requests.ts'
import { send } from './server/endpoint-call.ts'
import { fetchAsMachine } from './server/machine-delivery.ts'
import { ended, expired, requireReturnable, unknownKind } from './server/request-end.ts'
import { refusal } from './server/server-failure.ts'

/*
 * What people read when a server or a person refuses must match sentences.txt. After an intended change, run this test
 * with -u and read the difference.
 */

const SERVER = 'https://keyferry.example'

function answer(status: number, body: object | string, change: Partial<ExchangeAnswer> = {}): ExchangeAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, body: text, location: null, retryAfterMs: null, ...change } as ExchangeAnswer
}

async function said(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'no refusal'
  } catch (error) {
    return error instanceof CliError ? `${error.exitCode}: ${error.message} | ${error.next}` : String(error)
  }
}

const thrown = (error: CliError) =>
  said(() => {
    throw error
  })

async function requests(): Promise<string[]> {
  const reasons = [
    'release_required',
    'agents_denied',
    'owner_approves',
    'named_approves',
    'second_person',
    'no_such_bundle',
    'x',
  ]
  const gone = (details: object, code = 'request_denied') =>
    thrown(ended(answer(410, { error: 'x', code, details })))
  return await Promise.all([
    thrown(expired()),
    thrown(unknownKind(SERVER)),
    ...reasons.map((reason) => gone({ reason })),
    gone({}, 'request_expired'),
    gone({}, 'request_later'),
    gone({ lost: true }, 'not_found'),
    gone({}, 'not_found'),
    said(() => requireReturnable({ assurance: 'local' }, ['code'], SERVER)),
    said(() => requireReturnable({ assurance: 'bound' }, [], SERVER)),
    said(() => requireReturnable({ assurance: 'bound' }, ['code'], SERVER)),
    said(() => deliveryIn({ kind: 'applied' } as Arrived)),
    said(() => depositIn({ kind: 'ready' } as Arrived)),
  ])
}

async function refusals(): Promise<string[]> {
  const statuses = [400, 401, 403, 404, 409, 429, 500].map((status) =>
    thrown(refusal(answer(status, { error: 'Forbidden: the reason', code: 'x' }), SERVER)),
  )
  const reasons = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'CERT_HAS_EXPIRED',
    'ETOOLONG',
    'EOTHERUSER',
    'EPIPE',
  ]
  const failures = reasons.map((reason) => {
    const exchange = () => Promise.reject(new NetworkError(reason, 'the cause'))
    return said(() => send({ server: SERVER, exchange }, { method: 'GET', path: '/' } as never))
  })
  return await Promise.all([
    ...statuses,
    thrown(refusal(answer(429, {}, { retryAfterMs: 1_500 }), SERVER)),
    thrown(refusal(answer(500, 'no JSON'), SERVER)),
    thrown(refusal(answer(302, '', { location: 'https://other.example' }), SERVER)),
    thrown(refusal(answer(200, '<!doctype html>'), SERVER)),
    ...failures,
  ])
}

const call = (given: ExchangeAnswer) =>
  said(() =>
    fetchAsMachine({ server: SERVER, exchange: () => Promise.resolve(given) }, 'x', {
      client_pubkey: 'x',
      bundle_id: 'dev/app',
      meta: {},
    }),
  )

async function machines(): Promise<string[]> {
  const codes = [
    'token_expired',
    'token_ended',
    'tokens_off',
    'not_granted',
    'machine_inactive',
    'network_refused',
  ]
  const others = ['identity_not_trusted', 'token_not_bound', 'trust_ended', 'unauthorized']
  const refused = (code: string, details: object = {}) =>
    call(answer(401, { error: 'the reason', code, details }))
  return await Promise.all([
    ...[...codes, ...others].map((code) => refused(code)),
    refused('identity_not_trusted', { differs: ['ref', 'environment'] }),
    refused('identity_not_trusted', { differs: ['aud'] }),
    call(answer(400, { error: 'the reason', code: 'invalid' })),
    call(answer(200, {})),
    call(answer(200, { machine: { id: 'x', name: 'ci' }, marks_base64: 1 })),
  ])
}

function remembered(): (string | null)[] {
  const reasons = [
    'expired',
    'used_up',
    'revoked',
    'forgotten',
    'person_removed',
    'role_changed',
    'policy_changed',
  ]
  const others = ['signed_out', 'bundle_changed', 'x']
  const words = [undefined, ...reasons, ...others].map((reason) => readWhyNotRemembered(reason, undefined))
  return [...words, readWhyNotRemembered('other_command', 'argument 3 differs')]
}

async function receipts(): Promise<string[]> {
  const facts = {
    request_id: 'a',
    client_pubkey: 'b',
    ciphertext_sha256: 'c',
    bundle: { name: 'dev/app' },
    approvers: [{ username: 'kim' }],
    argv_sha256: null,
    workspace: { id: 'w', name: 'Acme' },
  }
  const delivery = {
    ...facts,
    keys: [{ name: 'PORT' }],
    approved_at: 'then',
    released_by: null,
    grant_id: null,
  }
  const variables = [{ name: 'PORT', action: 'create' }]
  const deposit = { ...facts, kind: 'deposit', variables, stored_at: 'then' }
  const statement = { ...facts, kind: 'deposit_approval' }
  const without = (fields: object, read: (fields: Record<string, unknown>) => unknown) =>
    Object.keys(fields).map(async (name) => {
      const wrong = { ...fields, [name]: 1 }
      return `${name}: ${await said(() => read(wrong))}`
    })
  const stored = (workspaceId: string, bundle: string, names: string[]) =>
    said(() => requireStored(depositReceiptIn(deposit), { workspaceId, sent: [{ bundle, names }] }))
  return await Promise.all([
    ...without(delivery, deliveryReceiptIn),
    said(() => deliveryReceiptIn(deposit)),
    ...without(deposit, depositReceiptIn),
    ...without(statement, statementIn),
    stored('other', 'dev/app', ['PORT']),
    stored('w', 'dev/other', ['PORT']),
    stored('w', 'dev/app', ['HOST']),
    stored('w', 'dev/app', ['PORT']),
    said(() => requireStored(depositReceiptIn(deposit), { workspaceId: 'w', sent: [] })),
    said(() => readRemembered({})),
    said(() => verifiedFields({ kid: 'x', payload: '?', signature: '' }, new Uint8Array(32))),
  ])
}

test('the sentences of refusals stay as they are', async () => {
  const sentences = {
    requests: await requests(),
    refusals: await refusals(),
    machines: await machines(),
    remembered: remembered(),
    receipts: await receipts(),
    tool: z.toJSONSchema(INPUT, { io: 'input' }),
    bundle: INPUT.safeParse({ bundle: '/x', keys: [], argv: [], reason: '' }).error?.issues,
  }
  await expect(`${JSON.stringify(sentences, null, 1)}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'sentences.txt'),
  )
})
