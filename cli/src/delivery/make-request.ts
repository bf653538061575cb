import type { ReleaseWay } from '@keyferry/contract'
import { createDeviceSeed } from '@keyferry/crypto/device-key'
import type { KeyPair } from '@keyferry/crypto/key-pair'
import { maskedCommandDigest } from '@keyferry/crypto/masked-command'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode, userCode } from '@keyferry/crypto/user-code'
import { refusedAnswer } from '../ground/cli-error.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { type CreatedRequest, createRequest, type RequestBody } from '../server/approval-requests.ts'
import { patientExchange, rateLimitNotice } from '../server/rate-limit.ts'
import type { Ask } from './ask.ts'
import { claims } from './claims.ts'
import { canBeShown, shownCommand } from './shown-command.ts'

/** Make a request for the public key.
 * @throws CliError refused, also if the server's check code differs from ours · NetworkError */
export async function makeRequest(
  ask: Ask,
  { keyPair, verifier, release }: { keyPair: KeyPair; verifier: string; release: readonly ReleaseWay[] },
  parts: Parts,
): Promise<PendingRequest> {
  const { clock, stderr } = parts
  let startedMs = clock.monotonicMs()
  const exchange = patientExchange(parts, (waitMs) => {
    stderr.write(rateLimitNotice(ask.view, waitMs))
    startedMs = clock.monotonicMs() + waitMs // the lifetime starts with the call that succeeds
  })
  const created = await createRequest(exchange, ask.server, {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    ...(ask.bundle === null ? {} : { bundle_id: ask.bundle }),
    ...(ask.workspace === null ? {} : { workspace: ask.workspace }),
    ...(ask.keys.length === 0 ? {} : { template_keys: ask.keys }),
    format: ask.format,
    poll_challenge: pollChallenge(verifier),
    release,
    ...commandOf(ask, parts),
    meta: {
      ...claims(parts.env, parts.cwd, shownCommand(ask.command).argv),
      via: ask.via,
      ...agentClaims(ask),
    },
  })
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
  }
}

function commandOf({ command }: Ask, { cwd }: Parts): Pick<RequestBody, 'argv' | 'argv_masked' | 'cwd'> {
  const { argv, isMasked } = shownCommand(command)
  if (!canBeShown(argv)) return {}
  const digest = isMasked ? { argv_masked: maskedCommandDigest(command, createDeviceSeed()) } : {}
  return { argv, ...digest, ...(cwd === '' ? {} : { cwd }) }
}

function agentClaims({ agent, reason }: Ask): Readonly<Record<string, string>> {
  return { ...(agent === null ? {} : { agent }), ...(reason === null ? {} : { reason }) }
}

// A server that shows another code has another public key, so someone else could read the delivery.
function agreedCode(created: CreatedRequest, keyPair: KeyPair): string {
  const code = userCode(created.id, keyPair.publicKey)
  if (created.userCode === null || normalizeUserCode(created.userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}
