import type { KeyPair } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode, userCode } from '@keyferry/crypto/user-code'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import type { WayBack } from '../release/way-back.ts'
import {
  type CreatedRequest,
  createRequest,
  RefusedDevice,
  type RequestBody,
  withdrawRequest,
} from '../server/approval-requests.ts'
import { patientExchange } from '../server/endpoint-call.ts'
import { unknownKind } from '../server/request-end.ts'
import { terminalKey } from '../state/terminal-key.ts'
import { claims, commandFields, deviceProof } from './claims.ts'
import type { RequestOptions } from './values-request.ts'

/** What a request says about what is requested. */
export type Content = {
  /** Null: values. */
  readonly name: NonNullable<RequestBody['kind']> | null
  readonly fields?: Partial<RequestBody>
  /** Whether a program gets the values, or they are written. */
  readonly via?: 'run' | 'pull'
  /** Whether the approver may let this terminal repeat the approval, and an earlier one counts. */
  readonly isRemembered?: boolean
  /** What the request carries, sealed. Without it, the check code covers the public key only. */
  readonly seal?: (secrets: Secrets) => Promise<SealedFields>
}

export type Secrets = { readonly keyPair: KeyPair; readonly verifier: string }

type SealedFields = { readonly fields: Partial<RequestBody>; readonly codeOf: (requestId: string) => string }

type RequestSecrets = Secrets & { readonly wayBack: WayBack; readonly parts: Parts }

/** Make a request for the public key.
 * @throws CliError refused, also if the server's check code differs from ours · NoAnswer */
export async function makeRequest(
  content: Content,
  options: RequestOptions,
  making: RequestSecrets,
): Promise<PendingRequest> {
  const { keyPair, verifier, parts } = making
  const { server } = options
  const sealed = await content.seal?.(making)
  let startedMs = parts.clock.monotonicMs()
  const exchange = patientExchange(parts, (waitMs) => {
    startedMs = parts.clock.monotonicMs() + waitMs // the lifetime starts with the call that succeeds
  })
  const { kind, isBound, ...created } = await createSigned(
    { ...content, fields: { ...content.fields, ...sealed?.fields } },
    options,
    { ...making, parts: { ...parts, exchange } },
  )
  // A server that ignores the kind would ask the person to approve values. An older one would store a deposit before
  // this client could compare who approved it.
  if ((content.name === 'names' && kind !== 'names') || (content.name === 'deposit' && !isBound)) {
    const request = { server, id: created.id, verifier }
    await withdrawRequest(parts.exchange, request).catch(() => undefined) // it expires by itself
    throw unknownKind(server)
  }
  const ours = sealed?.codeOf(created.id) ?? userCode(created.id, keyPair.publicKey)
  return {
    ...created,
    server,
    keyPair,
    verifier,
    remembered: content.isRemembered === true ? created.remembered : null,
    userCode: agreedCode(created.userCode, ours, content.name === null),
    deadlineMs: startedMs + created.lifetimeMs,
  }
}

// A server whose clock is far from ours takes no signature, and an older one no repository. Then this approval cannot
// be remembered, or only for this folder, but it can be asked for.
async function createSigned(
  content: Content,
  options: RequestOptions,
  { parts, ...making }: RequestSecrets,
): Promise<CreatedRequest> {
  const { server } = options
  const seed = content.isRemembered === true ? terminalKey(server, parts) : null
  const body = bodyOf(content, options, { ...making, parts, seed })
  for (const signed of body.use?.repository === undefined ? [body] : [body, withoutRepository(body)]) {
    const device = seed === null ? null : deviceProof(signed, seed, parts.clock)
    if (device === null) break
    try {
      return await createRequest(parts.exchange, server, { ...signed, device })
    } catch (error) {
      if (!(error instanceof RefusedDevice)) throw error
    }
  }
  return await createRequest(parts.exchange, server, body)
}

function withoutRepository({ use, ...body }: RequestBody): RequestBody {
  return use === undefined ? body : { ...body, use: { redaction: use.redaction, flags: use.flags } }
}

function bodyOf(
  { name, fields, via }: Content,
  options: RequestOptions,
  { keyPair, verifier, wayBack, parts, seed }: RequestSecrets & { readonly seed: Uint8Array | null },
): RequestBody {
  const { bundle, workspace, command } = options
  return {
    ...(name === null ? {} : { kind: name }),
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    ...(bundle === null ? {} : { bundle_id: bundle }),
    ...(workspace === null ? {} : { workspace }),
    format: 'sh',
    poll_challenge: pollChallenge(verifier),
    release: wayBack.offered,
    short_uri: true,
    ...(name === null ? { waits_for_others: true } : {}),
    ...(name === 'deposit' ? {} : { may_ask_again: true }),
    ...commandFields(command, seed, parts.cwd),
    ...fields,
    meta: { ...claims(options, parts), ...(via === undefined ? {} : { via }) },
  }
}

// A server that shows another code has another request than this client made, so someone else could read what comes.
function agreedCode(theirs: string | null, ours: string, isOptional: boolean): string {
  const isAgreed = theirs === null ? isOptional : theirs === ours || normalizeUserCode(theirs) === ours
  if (isAgreed) return ours
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}
