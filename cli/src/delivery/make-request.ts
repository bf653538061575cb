import type { KeyPair } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode, userCode } from '@keyferry/crypto/user-code'
import { refusedAnswer } from '../ground/cli-error.ts'
import type { Exchange } from '../ground/exchange.ts'
import type { Clock, Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import type { WayBack } from '../release/way-back.ts'
import {
  type CreatedRequest,
  createRequest,
  RefusedDevice,
  type RequestBody,
} from '../server/approval-requests.ts'
import { patientExchange, rateLimitNotice } from '../server/rate-limit.ts'
import { asksAgainText } from '../server/remembered.ts'
import type { Ask } from './ask.ts'
import { agentClaims, claims } from './claims.ts'
import { commandFields, proofOf, seedFor } from './command-proof.ts'
import { shownCommand } from './shown-command.ts'

type Offered = Pick<WayBack, 'offered' | 'takesFromOthers'>

/** Make a request for the public key.
 * @throws CliError refused, also if the server's check code differs from ours · NetworkError */
export async function makeRequest(
  ask: Ask,
  { keyPair, verifier, wayBack }: { keyPair: KeyPair; verifier: string; wayBack: Offered },
  parts: Parts,
): Promise<PendingRequest> {
  const { clock, stderr } = parts
  let startedMs = clock.monotonicMs()
  const exchange = patientExchange(parts, (waitMs) => {
    stderr.write(rateLimitNotice(ask.view, waitMs))
    startedMs = clock.monotonicMs() + waitMs // the lifetime starts with the call that succeeds
  })
  const seed = seedFor(ask, parts)
  const body: RequestBody = {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    ...(ask.bundle === null ? {} : { bundle_id: ask.bundle }),
    ...(ask.workspace === null ? {} : { workspace: ask.workspace }),
    ...(ask.keys.length === 0 ? {} : { template_keys: ask.keys }),
    format: ask.format,
    poll_challenge: pollChallenge(verifier),
    release: wayBack.offered,
    ...commandFields(ask, seed, parts.cwd),
    meta: {
      ...claims(parts.env, parts.cwd, shownCommand(ask.command).argv),
      via: ask.via,
      ...agentClaims(ask),
    },
  }
  const created = await createSigned(body, { ask, seed, exchange, clock, together: wayBack.takesFromOthers })
  return {
    server: ask.server,
    id: created.id,
    keyPair,
    verifier,
    approvalUrl: created.approvalUrl,
    userCode: agreedCode(created, keyPair),
    isCodeTyped: created.isCodeTyped,
    intervalMs: created.intervalMs,
    lifetimeMs: created.lifetimeMs,
    deadlineMs: startedMs + created.lifetimeMs,
    remembered: created.remembered,
    asksAgain: created.asksAgain === null ? null : asksAgainText(created.asksAgain),
    joins: created.joins,
  }
}

type Signing = {
  readonly ask: Ask
  readonly seed: Uint8Array | null
  readonly exchange: Exchange
  readonly clock: Clock
  readonly together: boolean
}

// A server whose clock is far from ours takes no signature. Then this approval cannot be remembered, but it can be asked for.
async function createSigned(
  body: RequestBody,
  { ask, seed, exchange, clock, together }: Signing,
): Promise<CreatedRequest> {
  const time = new Date(clock.epochMs()).toISOString()
  const device = seed === null ? null : proofOf(body, seed, time)
  if (device === null) return await createRequest(exchange, ask.server, body)
  try {
    return await createRequest(exchange, ask.server, { ...body, device, ...(together ? { together } : {}) })
  } catch (error) {
    if (!(error instanceof RefusedDevice)) throw error
    return await createRequest(exchange, ask.server, body)
  }
}

// A server that shows another code has another public key, so someone else could read the delivery.
function agreedCode(created: CreatedRequest, keyPair: KeyPair): string {
  const code = userCode(created.id, keyPair.publicKey)
  if (created.userCode === null || created.userCode === code) return code
  if (normalizeUserCode(created.userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}
