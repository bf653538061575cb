import type { KeyPair } from '@keyferry/crypto/key-pair'
import { wipe } from '@keyferry/crypto/key-pair'
import { CliError, usageError } from '../ground/cli-error.ts'
import { type Exchange, NetworkError } from '../ground/exchange.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { MachineCredential } from '../machine/credential.ts'
import { maskInJobLog } from '../machine/job-log.ts'
import { fetchAsMachine, type MachineOutcome, type MachineRequest } from '../server/machine-delivery.ts'
import { readable } from '../server/server-failure.ts'
import { deliveryNotes } from '../terminal/waiting-view.ts'
import { requireRequestedBundle, requireRequestedKeys } from './agreement.ts'
import type { Ask } from './ask.ts'
import { agentClaims, claims } from './claims.ts'
import { type Delivered, openDelivery } from './delivered-values.ts'
import { shownCommand } from './shown-command.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Fetch values as a machine, without a person.
 * @throws CliError */
export async function deliverToMachine(
  ask: Ask,
  credential: MachineCredential,
  parts: Parts,
): Promise<Delivered> {
  if (ask.bundle === null) {
    throw usageError(
      'no bundle: a machine must name one',
      'Add its name to the command, or run keyferry init --bundle NAME.',
    )
  }
  if (ask.requiredAssurance !== null || ask.receiptFile !== null) {
    throw usageError(
      'a machine has no approval, so --require-assurance and --receipt cannot be met',
      'Leave them out, or ask a person with --as person.',
    )
  }
  const keyPair = (await parts.randomness()).newKeyPair()
  try {
    const body = requestBody(ask, ask.bundle, { credential, keyPair, parts })
    const { delivery, machine } = await fetchPatiently({ ask, credential, keyPair, parts }, body)
    requireRequestedBundle(delivery, ask)
    const values = openDelivery(delivery.ciphertextBase64, keyPair, ask.keys)
    requireRequestedKeys(values, ask)
    maskInJobLog(values, parts)
    tell(ask, parts, {
      machine: machine.name,
      proof: credential.proof,
      names: [...values.keys()],
      bundle: delivery.bundle?.name ?? ask.bundle,
      delivery_id: delivery.deliveryId,
      versions: delivery.versions,
      expired: delivery.expired,
      missing_required: delivery.missingRequired,
    })
    return { values, deliveryId: delivery.deliveryId }
  } catch (error) {
    throw readable(error, ask.server)
  } finally {
    wipe(keyPair.secretKey)
  }
}

type Making = { readonly credential: MachineCredential; readonly keyPair: KeyPair; readonly parts: Parts }

function requestBody(ask: Ask, bundle: string, { credential, keyPair, parts }: Making): MachineRequest {
  return {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    bundle_id: bundle,
    ...(ask.keys.length === 0 ? {} : { include_keys: ask.keys }),
    ...(credential.machineId === null ? {} : { machine_id: credential.machineId }),
    meta: {
      ...claims(parts.env, parts.cwd, shownCommand(ask.command).argv),
      via: ask.via,
      ...agentClaims(ask),
    },
  }
}

type Fetching = Making & { readonly ask: Ask }
type MachineDelivery = Extract<MachineOutcome, { kind: 'delivered' }>

// A new credential each time: an ID token is valid for minutes.
async function fetchPatiently(fetching: Fetching, body: MachineRequest): Promise<MachineDelivery> {
  const { parts, ask } = fetching
  for (let tries = 1; ; tries += 1) {
    const outcome = await fetchOnce(fetching, body)
    if (outcome.kind === 'delivered') return outcome
    if (outcome.kind === 'no such keys')
      return await fetchPatiently(fetching, withoutOptional(outcome, body, ask))
    if (tries === TRIES) throw tooBusy(outcome.reason, ask.server)
    const pauseMs = Math.min(outcome.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS)
    say(ask, parts, { event: 'trouble', reason: outcome.reason }, `${outcome.reason}; trying again`)
    await parts.clock.sleep(pauseMs)
  }
}

async function fetchOnce(
  { credential, keyPair, parts, ask }: Fetching,
  body: MachineRequest,
): Promise<MachineOutcome> {
  const exchange: Exchange = parts.exchange
  try {
    const proof = await credential.forKey(keyPair.publicKey)
    return await fetchAsMachine({ exchange, server: ask.server }, proof, body)
  } catch (error) {
    if (!(error instanceof NetworkError) || !error.isPassing) throw error
    return { kind: 'later', retryAfterMs: null, reason: printable(error.message, 80) }
  }
}

// The server refuses names that the bundle does not have; those that may be missing are left out.
function withoutOptional(
  { names, refusal }: Extract<MachineOutcome, { kind: 'no such keys' }>,
  body: MachineRequest,
  { optionalKeys }: Ask,
): MachineRequest {
  if (!names.every((name) => optionalKeys.includes(name))) throw refusal
  const left = (body.include_keys ?? []).filter((name) => !names.includes(name))
  if (left.length === 0) throw refusal
  return { ...body, include_keys: left }
}

function tooBusy(reason: string, server: string): CliError {
  return new CliError(
    EXIT.network,
    `no delivery from ${server} after ${TRIES} tries: ${reason}`,
    'Nothing was started. Try again later, or check the server.',
  )
}

type Told = {
  readonly machine: string
  readonly proof: string
  readonly names: readonly string[]
  readonly bundle: string
  readonly delivery_id: string | null
  readonly versions: readonly { readonly name: string; readonly version: number }[]
  readonly expired: readonly string[]
  readonly missing_required: readonly string[]
}

function tell(ask: Ask, parts: Parts, told: Told): void {
  const { names, bundle, machine, proof } = told
  const count = `${names.length} ${names.length === 1 ? 'value' : 'values'}`
  const text = `as machine ${printable(machine, 100)}, by ${proof}: ${count} from ${printable(bundle, 80)}`
  say(ask, parts, { event: 'delivered', ...told }, ask.view === 'quiet' ? null : text)
  const missing = ask.keys.filter((name) => !names.includes(name))
  const { expired, missing_required: missingRequired } = told
  for (const note of deliveryNotes({ missing, missingRequired, expired, isUnchecked: false }))
    say(ask, parts, null, note)
}

function say(ask: Ask, { stderr }: Parts, event: object | null, text: string | null): void {
  if (ask.view === 'json') {
    if (event !== null) stderr.write(`${JSON.stringify(event)}\n`)
  } else if (text !== null) stderr.write(`keyferry: ${text}\n`)
}
