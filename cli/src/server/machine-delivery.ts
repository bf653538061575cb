import { CliError, refusedAnswer } from '../ground/cli-error.ts'
import type { Exchange, ExchangeAnswer } from '../ground/exchange.ts'
import { EXIT } from '../ground/exit-code.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'
import { errorBody, refusal } from './server-failure.ts'
import { type Delivery, type Named, readDelivery } from './wait-answer.ts'

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
  | { readonly kind: 'delivered'; readonly delivery: Delivery; readonly machine: Named }
  /** Try again with a fresh credential, after `retryAfterMs` (null: when you like). */
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }
  /** The bundle has no keys of these names. */
  | { readonly kind: 'no such keys'; readonly names: readonly string[]; readonly refusal: Error }

/** Fetch values as a machine.
 * @throws CliError refused · NetworkError */
export async function fetchAsMachine(
  { exchange, server }: { exchange: Exchange; server: string },
  credential: string,
  body: MachineRequest,
): Promise<MachineOutcome> {
  const answer = await exchange({
    method: 'POST',
    url: `${server}/api/v1/deliveries`,
    headers: { authorization: `Bearer ${credential}` },
    body: JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BYTES,
  })
  if (answer.status === 200) return readDelivered(answer)
  const { error, code } = errorBody(answer)
  if (answer.status === 429 || answer.status === 503) {
    return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason: printable(error, 80) }
  }
  const names = missingNames(answer)
  if (answer.status === 400 && names.length > 0) {
    return { kind: 'no such keys', names, refusal: refusal(answer, server) }
  }
  throw refusedMachine(answer, code, server)
}

function readDelivered(answer: ExchangeAnswer): MachineOutcome {
  const body = parseObject(answer.body) ?? {}
  const { machine } = body
  const { id, name } = isObject(machine) ? machine : {}
  if (typeof id !== 'string' || typeof name !== 'string') {
    throw refusedAnswer('the server did not say which machine this is')
  }
  const versions = Array.isArray(body['keys']) ? body['keys'].filter(hasVersion) : []
  return { kind: 'delivered', delivery: readDelivery({ ...body, versions }), machine: { id, name } }
}

function hasVersion(entry: unknown): boolean {
  return isObject(entry) && typeof entry['version'] === 'number'
}

function missingNames({ body }: ExchangeAnswer): readonly string[] {
  const details = parseObject(body)?.['details']
  const keys = isObject(details) ? details['keys'] : undefined
  return Array.isArray(keys) ? keys.map(String) : []
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
export function refusedMachine(answer: ExchangeAnswer, code: string, server: string): CliError {
  const plain = refusal(answer, server)
  const next = NEXT[code]
  if (next === undefined && answer.status !== 401) return plain
  const details = parseObject(answer.body)?.['details']
  const differs = isObject(details) && Array.isArray(details['differs']) ? details['differs'].map(String) : []
  const what = differs.length === 0 ? '' : `; claims that differ: ${printable(differs.join(', '), 200)}`
  return new CliError(EXIT.denied, `${plain.message}${what}`, nextStep(next, differs, server))
}

function nextStep(next: string | undefined, differs: readonly string[], server: string): string {
  // The server lists no attempt of a token that was made for another service.
  if (differs.includes('aud'))
    return `Request the ID token for the audience ${server}, as the server's PUBLIC_URL names it.`
  return next ?? 'Check KEYFERRY_TOKEN, or the ID token of this job.'
}
