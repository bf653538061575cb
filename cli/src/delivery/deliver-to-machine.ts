import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { announce } from '../base/announce.ts'
import { CliError, EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import type { MachineCredential } from '../machine/credential.ts'
import { maskInJobLog } from '../machine/job.ts'
import { fetchAsMachine, type MachineOutcome, type MachineRequest } from '../server/machine-delivery.ts'
import { NoAnswer } from '../server/server-failure.ts'
import { claims } from './claims.ts'
import { markedPublic, openDelivery, requireOwnWorkspace, secretsOf } from './delivered-values.ts'
import { atInterruption } from './interruption.ts'
import { deliveryNotes } from './outcome.ts'
import type { ValuesDelivery, ValuesRequest } from './values-request.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Fetch values as a machine, without a person.
 * @throws CliError */
export async function deliverToMachine(
  request: ValuesRequest,
  credential: MachineCredential,
  parts: Parts,
): Promise<ValuesDelivery> {
  if (request.bundle === null) {
    throw usageError(
      'no bundle: a machine must name one',
      'Add its name to the command, or run keyferry init --bundle NAME.',
    )
  }
  if (request.requiredAssurance !== null || request.receiptFile !== null) {
    throw usageError(
      'a machine has no approval, so --require-assurance and --receipt cannot be met',
      'Leave them out, or ask a person with --as person.',
    )
  }
  if (request.own?.size)
    throw usageError('a machine uses no values of its own', 'Remove keyferry.local.json from this folder.')
  const keyPair = (await parts.randomness()).newKeyPair()
  const { takeBack, unlessEnding } = atInterruption(parts, () => wipe(keyPair.secretKey))
  try {
    const fetching = { request, credential, keyPair, parts, unlessEnding }
    const outcome = await fetchPatiently(fetching, requestBody(fetching, request.bundle))
    const { delivery } = outcome
    requireOwnWorkspace(delivery, request)
    const values = openDelivery(delivery, keyPair, request)
    const secrets = secretsOf(values, markedPublic(outcome, keyPair))
    maskInJobLog(secrets, parts)
    report(outcome, { names: [...values.keys()], proof: credential.proof }, { request, parts })
    return { values, secrets, deliveryId: delivery.deliveryId, versions: delivery.versions }
  } finally {
    takeBack()
    wipe(keyPair.secretKey)
  }
}

type Fetching = {
  readonly request: ValuesRequest
  readonly credential: MachineCredential
  readonly keyPair: KeyPair
  readonly parts: Parts
  readonly unlessEnding: ReturnType<typeof atInterruption>['unlessEnding']
}

function requestBody({ request, credential, keyPair, parts }: Fetching, bundle: string): MachineRequest {
  return {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    bundle_id: bundle,
    ...(request.keys.length === 0 ? {} : { include_keys: request.keys }),
    ...(credential.machineId === null ? {} : { machine_id: credential.machineId }),
    meta: { ...claims(request, parts), via: request.via },
  }
}

type MachineDelivery = Extract<MachineOutcome, { kind: 'delivered' }>

// A new credential each time: an ID token is valid for minutes.
async function fetchPatiently(fetching: Fetching, body: MachineRequest): Promise<MachineDelivery> {
  const { parts, request, unlessEnding } = fetching
  for (let tries = 1; ; tries += 1) {
    const outcome = await unlessEnding(fetchOnce(fetching, body))
    if (outcome.kind === 'delivered') return outcome
    if (outcome.kind === 'no such keys')
      return await fetchPatiently(fetching, withoutOptional(outcome, body, request))
    if (tries === TRIES)
      throw new CliError(
        EXIT.network,
        `no delivery from ${request.server} after ${TRIES} tries: ${outcome.reason}`,
        'Nothing was started. Try again later, or check the server.',
      )
    const pauseMs = Math.min(outcome.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS)
    announce(parts, { event: 'trouble', reason: outcome.reason }, `${outcome.reason}; trying again`)
    await unlessEnding(parts.clock.sleep(pauseMs))
  }
}

async function fetchOnce(
  { credential, keyPair, parts, request }: Fetching,
  body: MachineRequest,
): Promise<MachineOutcome> {
  try {
    const proof = await credential.forKey(keyPair.publicKey)
    return await fetchAsMachine({ exchange: parts.exchange, server: request.server }, proof, body)
  } catch (error) {
    if (!(error instanceof NoAnswer && error.isPassing)) throw error
    return { kind: 'later', retryAfterMs: null, reason: printable(error.reason, 80) }
  }
}

// The server refuses names that the bundle does not have; those that may be missing are left out.
function withoutOptional(
  { names, refusal }: Extract<MachineOutcome, { kind: 'no such keys' }>,
  body: MachineRequest,
  { optionalKeys }: ValuesRequest,
): MachineRequest {
  if (!names.every((name) => optionalKeys.includes(name))) throw refusal
  const left = (body.include_keys ?? []).filter((name) => !names.includes(name))
  if (left.length === 0) throw refusal
  return { ...body, include_keys: left }
}

function report(
  { machine, delivery }: MachineDelivery,
  { names, proof }: { names: readonly string[]; proof: string },
  { request, parts }: Pick<Fetching, 'request' | 'parts'>,
): void {
  const bundle = delivery.bundle?.name ?? request.bundle ?? ''
  const { deliveryId: delivery_id, missingRequired: missing_required, versions, expired } = delivery
  const record = { delivery_id, versions, expired, missing_required }
  const event = { event: 'delivered', machine: machine.name, proof, names, bundle }
  const count = `${names.length} ${names.length === 1 ? 'value' : 'values'}`
  const text = `as machine ${printable(machine.name, 100)}, by ${proof}: ${count} from ${printable(bundle, 80)}`
  const { view, stderr } = parts
  announce(parts, { ...event, ...record }, view === 'quiet' ? null : text)
  if (view === 'json') return
  for (const note of deliveryNotes(names, delivery, request)) stderr.write(`keyferry: ${note}\n`)
}
