import { randomUUID } from 'node:crypto'
import { CliError, EXIT, refusedAnswer } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import { printable } from '../base/printable.ts'
import { field, list, number, object, optional, orNull, parseObject, read, string } from '../base/shape.ts'
import { callEndpoint, readEndpoint, type Server } from './endpoint-call.ts'
import { errorBody, refusal } from './server-failure.ts'
import { type AnswerName, type Delivery, named, readDelivery } from './wait-answer.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 12 * 1024 * 1024

export type MachineRequest = {
  /** Base64. */
  readonly client_pubkey: string
  readonly bundle_id: string
  readonly include_keys?: readonly string[]
  readonly machine_id?: string
  readonly meta: Readonly<Record<string, string>>
}

export type MachineOutcome =
  | {
      readonly kind: 'delivered'
      readonly delivery: Delivery
      /** Base64 of the box that says which values are not secret; null: an older server sends none. */
      readonly marks: string | null
      readonly machine: AnswerName
    }
  /** Try again with a fresh credential, after `retryAfterMs` (null: when you like). */
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }
  /** The bundle has no keys of these names. */
  | { readonly kind: 'no such keys'; readonly names: readonly string[]; readonly refusal: Error }

/** Fetch values as a machine.
 * @throws CliError refused · NoAnswer */
export async function fetchAsMachine(
  at: Server,
  credential: string,
  body: MachineRequest,
): Promise<MachineOutcome> {
  const answer = await callEndpoint(at, 'createDelivery', {
    headers: { authorization: `Bearer ${credential}` },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  const { server } = at
  if (answer.status === 200) return readDelivered(answer)
  const { error } = errorBody(answer)
  if (answer.status === 429 || answer.status === 503) {
    return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason: printable(error, 80) }
  }
  const names = detailTexts(answer, 'keys')
  if (answer.status === 400 && names.length > 0) {
    return { kind: 'no such keys', names, refusal: refusal(answer, server) }
  }
  throw refusedMachine(answer, server)
}

const UNNAMED = 'the server did not say which machine this is'
const unnamed = () => refusedAnswer(UNNAMED)
const VERSIONED = orNull(object({ name: string, version: number }))

function readDelivered(answer: ExchangeAnswer): MachineOutcome {
  const body = parseObject(answer.body) ?? {}
  const machine = read(body['machine'], named, unnamed)
  // A value without a key has no version.
  const keys = read(body['keys'], orNull(list(VERSIONED)), unnamed) ?? []
  const versions = keys.filter((entry) => entry !== null)
  const marks = read(body['marks_base64'], optional(string, null), () =>
    refusedAnswer('the marks are no text'),
  )
  return { kind: 'delivered', delivery: readDelivery({ ...body, versions }), marks, machine }
}

const NEXT: Readonly<Record<string, string>> = {
  token_expired: 'Ask an owner to make a new token on the page of the machine.',
  token_ended: 'Ask an owner to make a new token on the page of the machine.',
  tokens_off: 'This server accepts no tokens. Use an ID token of the platform.',
  not_granted: 'Ask an owner to grant this bundle to the machine.',
  machine_inactive: 'Ask an owner to switch the machine on.',
  network_refused: 'The credential works from other networks only. Ask an owner to allow this one.',
  identity_not_trusted:
    'An owner can allow this identity on the page of the machine, where this attempt is listed.',
  token_not_bound:
    'The ID token must be bound to the key of this call, but this platform fixes the audience. Ask an owner to allow unbound ID tokens.',
  trust_ended: 'Ask an owner to allow this identity again on the page of the machine.',
}

/** The error for a machine whose call was refused. */
function refusedMachine(answer: ExchangeAnswer, server: string): CliError {
  const plain = refusal(answer, server)
  const next = NEXT[errorBody(answer).code]
  if (next === undefined && answer.status !== 401) return plain
  const differs = detailTexts(answer, 'differs')
  const what = differs.length === 0 ? '' : `; claims that differ: ${printable(differs.join(', '), 200)}`
  // The server lists no attempt of a token that was made for another service.
  const advice = differs.includes('aud')
    ? `Request the ID token for the audience ${server}, as the server's PUBLIC_URL names it.`
    : (next ?? 'Check KEYFERRY_TOKEN, or the ID token of this job.')
  return new CliError(EXIT.denied, `${plain.message}${what}`, advice)
}

function detailTexts(answer: ExchangeAnswer, name: string): readonly string[] {
  const texts = errorBody(answer).details[name]
  return Array.isArray(texts) ? texts.map(String) : []
}

const MAX_OWN_BYTES = 256 * 1024

/** What the server says about the machine of a token. */
const OWN_MACHINE = object({
  name: string,
  workspace: field('name', string),
  grants: list(object({ bundle: field('name', string), scope: string })),
  /** `due`: why the token should be replaced; null where nothing is due. */
  token: object({ expiresAt: string, due: orNull(string) }),
})

/** Ask which machine a token belongs to.
 * @throws CliError refused · NoAnswer */
export async function ownMachine(at: Server, token: string): Promise<ReturnType<typeof OWN_MACHINE>> {
  const headers = { authorization: `Bearer ${token}` }
  return await readEndpoint(at, 'getOwnMachine', {
    headers,
    maxBodyBytes: MAX_OWN_BYTES,
    shape: OWN_MACHINE,
    malformed: UNNAMED,
    explain: (answer) => refusedMachine(answer, at.server),
  })
}

/** Present an ID token without fetching values: the call names a bundle that does not exist, so the server refuses an
 * identity that it trusts for that reason only.
 * @throws CliError refused, with what is wrong with the identity · NoAnswer */
export async function presentIdentity(
  at: Server,
  idToken: string,
  claimed: { readonly machineId: string; readonly publicKey: Uint8Array },
): Promise<void> {
  const answer = await callEndpoint(at, 'createDelivery', {
    headers: { authorization: `Bearer ${idToken}` },
    body: {
      client_pubkey: Buffer.from(claimed.publicKey).toString('base64'),
      bundle_id: randomUUID(),
      machine_id: claimed.machineId,
    },
    maxBodyBytes: MAX_OWN_BYTES,
  })
  const { code } = errorBody(answer)
  if (answer.status !== 403 || code !== 'not_granted') throw refusedMachine(answer, at.server)
}
