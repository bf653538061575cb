import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { normalizeUserCode } from '@keyferry/crypto/user-code'
import { refusedAnswer, usageError } from '../ground/cli-error.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { printable } from '../ground/printable.ts'
import { openWayBack, type WayBack } from '../release/way-back.ts'
import {
  type CreatedRequest,
  createRequest,
  type RequestBody,
  withdrawRequest,
} from '../server/approval-requests.ts'
import { isLoopback } from '../server/loopback.ts'
import { patientExchange, rateLimitNotice } from '../server/rate-limit.ts'
import { unknownKind } from '../server/request-end.ts'
import { readable } from '../server/server-failure.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { waitingView } from '../terminal/choose-view.ts'
import type { Asked, WaitingView } from '../terminal/waiting-view.ts'
import { agentClaims, claims, shownArgument } from './claims.ts'
import { commandFields } from './command-proof.ts'
import { atInterruption } from './interruption.ts'
import { shownCommand } from './shown-command.ts'
import type { WaitEvents } from './wait.ts'
import { withdraw } from './withdraw.ts'

/** Who asks, for which bundle, and how progress is shown. */
export type Asker = {
  readonly server: string
  /** Id or name. */
  readonly bundle: string | null
  readonly workspace: string | null
  /** The command as the approver sees it. */
  readonly command: readonly string[]
  readonly agent: string | null
  readonly reason: string | null
  /** Why not to open the browser; null to open it. */
  readonly whyNotOpen: string | null
  readonly hidesQrCode: boolean
  readonly view: ViewName
}

/** A request that is not for values. `End`: how it ends well. */
export type Question<End> = {
  readonly kind: NonNullable<RequestBody['kind']>
  /** The names that the person sees. */
  readonly keys: readonly string[]
  /** How many of them the bundle no longer delivers. */
  readonly removes?: number
  /** What an agent has to give a reason for: `you change the bundle`. */
  readonly reasonFor: string
  /** What the request has beside its kind, and its check code. Called once. */
  readonly prepare: (secrets: Secrets) => Promise<Prepared>
  readonly wait: (pending: PendingRequest, events: WaitEvents) => Promise<End>
  readonly tell: (view: WaitingView, end: End) => void
}

type Secrets = { readonly keyPair: KeyPair; readonly verifier: string }

type Prepared = { readonly fields: Partial<RequestBody>; readonly codeOf: (requestId: string) => string }

/** Make a request, ask for its approval, and wait until it ends.
 * @throws CliError */
export async function askPerson<End>(asker: Asker, question: Question<End>, parts: Parts): Promise<End> {
  requireReason(asker, question)
  const random = await parts.randomness()
  const secrets = { keyPair: random.newKeyPair(), verifier: random.newPollVerifier() }
  const view = await waitingView(asker.view, parts)
  const whyNotOpen = asker.whyNotOpen ?? whyNoBrowser(parts.env, parts.platform)
  const wayBack = await openWayBack(
    { opensBrowser: whyNotOpen === null, viewName: asker.view, isSigned: false },
    parts,
  )
  const making = makeRequest({ asker, question, secrets, wayBack }, parts)
  const interruption = atInterruption(parts, async () => {
    wayBack.end()
    view.end()
    await withdraw(making, asker.view, parts)
  })
  try {
    const pending = await interruption.unlessEnding(making)
    const address = wayBack.begin(pending, view, whyNotOpen === null)
    if (whyNotOpen === null) parts.openBrowser(address)
    view.asked(facts(asker, question, { pending, whyNotOpened: whyNotOpen }))
    const waiting = question.wait(pending, {
      onTrouble: (text) => view.trouble(printable(text)),
      onRecovery: () => view.recovered(),
      onNeeds: wayBack.onNeeds,
    })
    const end = await interruption.unlessEnding(waiting)
    await wayBack.settled()
    question.tell(view, end)
    return end
  } catch (error) {
    throw readable(error, asker.server)
  } finally {
    wipe(secrets.keyPair.secretKey)
    wayBack.end()
    view.end()
    interruption.takeBack()
  }
}

function requireReason({ agent, reason }: Asker, { reasonFor }: Pick<Question<never>, 'reasonFor'>): void {
  if (agent === null || reason !== null) return
  throw usageError(
    `${agent} started this command, so a reason is required`,
    `Add --reason TEXT: say in one sentence why ${reasonFor}.`,
  )
}

type Making<End> = { asker: Asker; question: Question<End>; secrets: Secrets; wayBack: WayBack }

async function makeRequest<End>(
  { asker, question, secrets, wayBack }: Making<End>,
  parts: Parts,
): Promise<PendingRequest> {
  const { fields, codeOf } = await question.prepare(secrets)
  const { clock, stderr } = parts
  let startedMs = clock.monotonicMs()
  const exchange = patientExchange(parts, (waitMs) => {
    stderr.write(rateLimitNotice(asker.view, waitMs))
    startedMs = clock.monotonicMs() + waitMs // the lifetime starts with the call that succeeds
  })
  const body = { ...bodyOf(asker, secrets, { wayBack, parts }), kind: question.kind, ...fields }
  const { kind, ...created } = await createRequest(exchange, asker.server, body)
  // A server that ignores the kind would ask the person to approve values.
  if (question.kind === 'names' && kind !== 'names') {
    const request = { server: asker.server, id: created.id, verifier: secrets.verifier }
    await withdrawRequest(parts.exchange, request).catch(() => undefined) // it expires by itself
    throw unknownKind(asker.server)
  }
  return {
    server: asker.server,
    ...secrets,
    ...created,
    userCode: agreedCode(created, codeOf(created.id)),
    deadlineMs: startedMs + created.lifetimeMs,
    remembered: null,
    asksAgain: null,
  }
}

function bodyOf(
  { bundle, workspace, command, agent, reason }: Asker,
  { keyPair, verifier }: Secrets,
  { wayBack, parts: { env, cwd } }: { wayBack: WayBack; parts: Parts },
): RequestBody {
  return {
    client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
    ...(bundle === null ? {} : { bundle_id: bundle }),
    ...(workspace === null ? {} : { workspace }),
    format: 'sh',
    poll_challenge: pollChallenge(verifier),
    release: wayBack.offered,
    ...commandFields({ command }, null, cwd),
    meta: { ...claims(env, cwd, shownCommand(command).argv), ...agentClaims({ agent, reason }) },
  }
}

// A server that shows another code has another request than this client made.
function agreedCode({ userCode }: Pick<CreatedRequest, 'userCode'>, code: string): string {
  if (userCode !== null && normalizeUserCode(userCode) === code) return code
  throw refusedAnswer(
    'the check code of the server differs from ours: the connection is intercepted, or this is not a Keyferry server',
  )
}

function facts<End>(
  { server, bundle, workspace, command, hidesQrCode }: Asker,
  { kind, keys, removes = 0 }: Question<End>,
  { pending, whyNotOpened }: { pending: PendingRequest; whyNotOpened: string | null },
): Asked {
  const { approvalUrl, userCode, isCodeTyped, lifetimeMs, deadlineMs } = pending
  return {
    kind,
    server,
    bundle,
    workspace,
    keys,
    removes,
    command: shownCommand(command).argv.map(shownArgument).join(' '),
    approvalUrl,
    userCode,
    isCodeTyped,
    lifetimeMs,
    hidesQrCode: hidesQrCode || isLoopback(new URL(approvalUrl).hostname),
    whyNotOpened,
    deadlineMs,
    asksAgain: null,
  }
}
