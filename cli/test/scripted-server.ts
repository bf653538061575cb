import { hash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { shortApprovalPath } from '@keyferry/contract/approval-link'
import { isIdText } from '@keyferry/contract/id-text'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { seal } from '@keyferry/crypto/seal'
import { userCode } from '@keyferry/crypto/user-code'

import { RECEIPT_KEYS, receiptFor } from './receipts.ts'

/** What a server that means well would deliver. */
const VALUES: Readonly<Record<string, string>> = { GREETING: "it's me", EMPTY: '' }

export type Asked = {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly body: Record<string, unknown>
  /** Where the client reached the server. */
  readonly origin: string
}

/** How a server behaves; what is left out it does as it should. Answers are set by hand, so that they can be wrong. */
export type Behaviour = {
  /** What it delivers to a person. */
  readonly values?: Readonly<Record<string, string>>
  /** Set: it says how people sign in, and refuses calls to the library. */
  readonly authMode?: string
  readonly create?: (asked: Asked) => Partial<Answer>
  /** `count` is 1 at the first call. `isReleased`: the right code came back. */
  readonly wait?: (asked: Asked, count: number, isReleased: boolean) => Partial<Answer> | 'hang up'
  readonly withdraw?: () => Partial<Answer>
  /** What a machine gets beside its values: the names of those that are not secret, and for which values. */
  readonly marks?: { readonly public: readonly string[]; readonly of?: string }
  /** A machine fetches. `count` is 1 at the first call. */
  readonly machine?: (call: MachineCall, count: number) => Partial<Answer>
}

type MachineCall = { readonly authorization: string; readonly body: Record<string, unknown> }

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Goes on sending until the client hangs up. */
  readonly isEndless: boolean
  /** Milliseconds between one byte and the next. */
  readonly dripMs: number
}

export type ScriptedServer = {
  readonly url: string
  /** When each call to `wait` came, in monotonic milliseconds. */
  readonly waits: readonly number[]
  readonly asked: readonly Asked[]
  /** The ids of the requests that were withdrawn. */
  readonly withdrawn: readonly string[]
  /** Milliseconds between requests and the ends of their answers, all together. */
  readonly busyMs: () => number
  readonly close: () => void
}

/** A server that a person has already approved, or that misbehaves as told. */
export async function startScriptedServer(behaviour: Behaviour = {}): Promise<ScriptedServer> {
  const asked: Asked[] = []
  const waits: number[] = []
  const withdrawn: string[] = []
  const released: string[] = []
  let busyMs = 0
  const server = createServer((request, response) => {
    const arrivedMs = performance.now()
    response.on('close', () => {
      busyMs += performance.now() - arrivedMs
    })
    void answer(request, { asked, waits, withdrawn, released, behaviour, response })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    waits,
    asked,
    withdrawn,
    busyMs: () => busyMs,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Scene = {
  asked: Asked[]
  waits: number[]
  withdrawn: string[]
  released: string[]
  behaviour: Behaviour
  response: ServerResponse
}

const SIGN_IN_FIRST = { status: 401, body: { error: 'sign in first', code: 'unauthorized' } }

function answerAboutItself({ url = '' }: IncomingMessage, { behaviour, response }: Scene): boolean {
  const answers: Record<string, Partial<Answer>> = {
    '/healthz': { body: { version: '0.1.0' } },
    '/session': { body: { auth_mode: behaviour.authMode } },
    '/api/v1/bundles': SIGN_IN_FIRST,
  }
  const reply = answers[url]
  if (reply !== undefined) send(response, reply)
  return reply !== undefined
}

async function answer(request: IncomingMessage, scene: Scene): Promise<void> {
  const body = await readBody(request)
  if (scene.behaviour.authMode !== undefined && answerAboutItself(request, scene)) return
  if (request.url === '/api/v1/tenants' || request.url === '/api/v1/bundles')
    return send(scene.response, SIGN_IN_FIRST)
  if (request.url?.split('?')[0]?.endsWith('/withdraw')) return withdraw(request, scene)
  if (request.url?.endsWith('/release')) return release(request, body, scene)
  if (request.url === '/api/v1/deliveries') return deliverToMachine(request, body, scene)
  if (request.url?.startsWith('/id-token?')) return send(scene.response, idToken(request))
  if (request.url === '/api/v1/receipt-keys') return send(scene.response, { body: RECEIPT_KEYS })
  if (request.url === '/api/v1/grants/forget') return send(scene.response, { body: { ended: 1 } })
  if (request.method === 'POST') return create(body, `http://${request.headers.host}`, scene)
  scene.waits.push(performance.now())
  wait(request, { ...scene, count: scene.waits.length })
}

function create(text: string, origin: string, { asked, behaviour, response }: Scene): void {
  const body = JSON.parse(text) as Record<string, unknown>
  const publicKey = Buffer.from(String(body['client_pubkey']), 'base64')
  const id = `${String(asked.length + 1).padStart(2, '0')}aa5ca1ab1e0ddba11c0ffee0ddba11`
  const request: Asked = { id, publicKey, body, origin }
  asked.push(request)
  send(response, { ...createdAnswer(request), ...behaviour.create?.(request) })
}

/** The answer of a server that means well. */
export function createdAnswer({
  id,
  publicKey,
  body,
}: Asked): Pick<Answer, 'status' | 'body'> & { body: object } {
  return {
    status: 201,
    body: {
      id,
      verification_uri_complete: `/approve/${id}`,
      ...(body['short_uri'] === true ? { verification_uri_short: shortApprovalPath(id) } : {}),
      interval: 3,
      expires_in: 300,
      user_code: userCode(id, publicKey),
    },
  }
}

function wait(request: IncomingMessage, scene: Scene & { count: number }): void {
  const id = /requests\/(\w+)\/wait/.exec(request.url ?? '')?.[1]
  const asked = scene.asked.find((candidate) => candidate.id === id)
  const reply =
    asked === undefined
      ? gone('not_found')
      : scene.behaviour.wait?.(asked, scene.count, scene.released.includes(asked.id))
  const values = scene.behaviour.values ?? VALUES
  const usual = asked === undefined ? {} : delivery(asked, JSON.stringify(values))
  if (reply === 'hang up') request.socket.destroy()
  else send(scene.response, { ...usual, ...reply })
}

/** The code that releases an approval here. */
const CODE = '482913'

function release(request: IncomingMessage, text: string, { released, response }: Scene): void {
  const id = /requests\/(\w+)\/release/.exec(request.url ?? '')?.[1] ?? ''
  const { secret } = JSON.parse(text) as { secret: string }
  if (secret === CODE) released.push(id)
  const wrong = { error: 'wrong code', code: 'release_wrong', details: { attempts_left: 2 } }
  send(response, secret === CODE ? { body: { ok: true } } : { status: 400, body: wrong })
}

function withdraw(request: IncomingMessage, { asked, withdrawn, behaviour, response }: Scene): void {
  const id = /requests\/(\w+)\/withdraw/.exec(request.url ?? '')?.[1]
  const known = asked.find((candidate) => candidate.id === id)
  const isProved = pollChallenge(String(request.headers['x-poll-verifier'])) === known?.body['poll_challenge']
  if (isProved && known !== undefined) withdrawn.push(known.id)
  const usual = isProved ? { status: 200, body: { ok: true } } : gone('not_found')
  send(response, { ...usual, ...behaviour.withdraw?.() })
}

/** The answer that delivers `plaintext`, from the requested bundle and workspace. `source` changes what it says of
 * them. */
export function delivery(
  { publicKey, body }: Omit<Asked, 'origin'>,
  plaintext: string,
  source: Record<string, unknown> = {},
): { status: 200; body: { ciphertext_base64: string } & Record<string, unknown> } {
  const ciphertext = Buffer.from(seal(Buffer.from(plaintext), publicKey)).toString('base64')
  return {
    status: 200,
    body: {
      status: 'ready',
      ciphertext_base64: ciphertext,
      bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: body['bundle_id'] ?? 'dev/app' },
      workspace: { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: workspaceName(body['workspace']) },
      missing_required: [],
      expired: [],
      delivery_id: '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
      versions: [{ name: 'GREETING', version: 3 }],
      ...source,
    },
  }
}

function workspaceName(asked: unknown): string {
  return typeof asked === 'string' && !isIdText(asked) ? asked : 'Acme'
}

/** `delivery` with a receipt. `changes` makes it a wrong one. */
export function signedDelivery(
  asked: Asked,
  plaintext: string,
  changes: Parameters<typeof receiptFor>[2] = {},
): Pick<Answer, 'status' | 'body'> {
  const { body } = delivery(asked, plaintext)
  const ciphertext = body.ciphertext_base64
  const names = Object.keys(JSON.parse(plaintext) as object)
  return {
    status: 200,
    body: { ...body, receipt: receiptFor(asked, { ciphertext, names }, changes) },
  }
}

// What GitHub answers to a job that asks for an ID token.
function idToken({ url, headers }: IncomingMessage): Partial<Answer> {
  if (headers.authorization !== 'Bearer job') return { status: 401, body: {} }
  const audience = new URL(`http://x${url}`).searchParams.get('audience')
  return { body: { value: `id-token-for-${audience}` } }
}

function deliverToMachine(request: IncomingMessage, text: string, scene: Scene): void {
  const body = JSON.parse(text) as Record<string, unknown>
  scene.waits.push(performance.now())
  const call = { authorization: request.headers.authorization ?? '', body }
  const publicKey = Buffer.from(String(body['client_pubkey']), 'base64')
  const plaintext = JSON.stringify(VALUES)
  const { body: delivered } = delivery({ id: '', publicKey, body }, plaintext)
  // A legacy item has no version.
  const keys = Object.keys(VALUES).map((name) => ({ name, version: name === 'EMPTY' ? null : 3 }))
  const marks = JSON.stringify({ of: hash('sha256', plaintext), ...scene.behaviour.marks })
  const marks_base64 = Buffer.from(seal(Buffer.from(marks), publicKey)).toString('base64')
  const marked = scene.behaviour.marks === undefined ? {} : { marks_base64 }
  const usual = { body: { ...delivered, ...marked, keys, machine: { id: 'c0b0a1de', name: 'ci-deploy' } } }
  send(scene.response, { ...usual, ...scene.behaviour.machine?.(call, scene.waits.length) })
}

/** The answer for a request that is no more. */
export function gone(
  code: 'not_found' | 'request_denied',
  details?: Readonly<Record<string, string>>,
): Pick<Answer, 'status' | 'body'> {
  return { status: 404, body: { error: 'request not found or expired', code, details } }
}

function send(response: ServerResponse, reply: Partial<Answer>): void {
  const { status = 200, headers = {}, body, isEndless = false, dripMs = 0 } = reply
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.on('error', () => undefined)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (isEndless) sendForever(response)
  else if (dripMs > 0) drip(response, text, dripMs)
  else response.end(text)
}

function sendForever(response: ServerResponse): void {
  while (!response.destroyed && response.write(' '.repeat(65_536)));
  if (!response.destroyed) response.once('drain', () => sendForever(response))
}

function drip(response: ServerResponse, text: string, dripMs: number): void {
  let at = 0
  const timer = setInterval(() => {
    response.write(text.charAt(at++) || ' ')
    if (response.destroyed) clearInterval(timer)
  }, dripMs)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString()
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
