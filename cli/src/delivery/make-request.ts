import type { KeyPair } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode, userCode } from '@keyferry/crypto/user-code'
import { refusedAnswer } from '../ground/cli-error.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { type CreatedRequest, createRequest } from '../server/approval-requests.ts'
import { patientExchange, rateLimitNotice } from '../server/rate-limit.ts'
import type { Ask } from './ask.ts'
import { claims } from './claims.ts'

/** Make a request for the public key.
 * @throws CliError refused, also if the server's check code differs from ours · NetworkError */
export async function makeRequest(
  ask: Ask,
  { keyPair, verifier }: { keyPair: KeyPair; verifier: string },
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
    meta: { ...claims(parts.env, parts.cwd, ask.command), via: ask.via },
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

// A server that shows another code has another public key, so someone else could read the delivery.
function agreedCode(created: CreatedRequest, keyPair: KeyPair): string {
  const code = userCode(created.id, keyPair.publicKey)
  if (created.userCode === null || normalizeUserCode(created.userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}
