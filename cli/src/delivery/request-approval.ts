import { wipe } from '@keyferry/crypto/key-pair'
import { announce } from '../base/announce.ts'
import { CliError, EXIT } from '../base/cli-error.ts'
import { requireWritable } from '../base/output-file.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { writeReceipt } from '../receipt/receipt.ts'
import type { Compare } from '../release/compared-return.ts'
import { openWayBack } from '../release/way-back.ts'
import { LostRequest } from '../server/request-end.ts'
import { isOnThisMachine } from '../server/server-address.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import {
  IF_STOPPED,
  otherNeeded,
  rememberedNotice,
  type WaitingOutcome,
  type WaitingView,
} from '../terminal/waiting-view.ts'
import { shownLine } from './claims.ts'
import type { WorkspaceQuestion } from './confirm-workspace.ts'
import { atInterruption, withdraw } from './interruption.ts'
import { type Content, makeRequest, type Secrets } from './make-request.ts'
import type { RequestOptions } from './values-request.ts'
import { type Arrived, type WaitEvents, waitForEnd } from './wait.ts'

/** What came of an approved request. */
type Opened<End> = {
  readonly end: End
  readonly outcome: WaitingOutcome
  /** As the server sent it; null: it signs none. Absent where there is nothing to sign. */
  readonly receipt?: SignedReceipt | null
}

/** What is requested: values, names, or that values are stored. */
export type ClientRequest<End> = Content & {
  /** The names that the person sees. */
  readonly keys: readonly string[]
  /** Of a deposit, the bundles that it goes to. */
  readonly bundles?: readonly string[]
  /** How many of them the bundle no longer delivers. */
  readonly removes?: number
  /** Called before the request is shown. What it throws ends the request. */
  readonly begin?: (pending: PendingRequest) => Promise<void>
  /** Compares each approval before it is returned. Absent: it is compared when it has come. */
  readonly compare?: Compare
  /** Open and check what came. `ask`: about what only the person knows. */
  readonly open: (arrived: Arrived, pending: PendingRequest, ask: WorkspaceQuestion) => Promise<Opened<End>>
}

/** Make a request, ask for its approval, wait, and open what comes. If a crash of the server loses the
 * request, it asks again, once: with new keys, and on a new page.
 * @throws CliError */
export async function requestApproval<End>(
  kind: ClientRequest<End>,
  options: RequestOptions,
  parts: Parts,
): Promise<End> {
  try {
    return await requestOnce(kind, options, parts)
  } catch (error) {
    if (!(error instanceof LostRequest)) throw error
    announce(parts, { event: 'asked_again' }, ASKED_AGAIN)
    return await requestOnce(kind, options, parts)
  }
}

const ASKED_AGAIN = 'the server lost the request, so this command asks again; approve only the new request'

async function requestOnce<End>(
  kind: ClientRequest<End>,
  options: RequestOptions,
  parts: Parts,
): Promise<End> {
  const { receiptFile, server } = options
  if (receiptFile !== null) requireWritable({ path: receiptFile, mayReplace: true })
  const secrets = await newSecrets(parts)
  const refusal = withResolvers<never>()
  let isRefused = false
  const refused = (error: unknown): void => {
    isRefused = true
    refusal.reject(error)
  }
  const screen = await openScreen(kind, options, { refused, parts })
  const making = makeRequest(kind, options, { ...secrets, ...screen, parts })
  const over = new AbortController()
  const ask: WorkspaceQuestion = async (notice, question) => {
    screen.wayBack.end() // the keyboard has one reader
    screen.view.say(notice)
    return await parts.keyboard.askUntil(question, over.signal)
  }
  const close = (): void => {
    wipe(secrets.keyPair.secretKey)
    screen.wayBack.end()
    screen.view.end()
    over.abort()
  }
  const interruption = atInterruption(parts, async () => {
    close()
    await withdraw(making, parts, { isStopped: true })
  })
  try {
    const pending = await interruption.unlessEnding(making)
    if (kind.begin) await interruption.unlessEnding(kind.begin(pending))
    if (pending.remembered === null) show(kind, options, { ...screen, pending, parts })
    else screen.view.say(rememberedNotice(pending.remembered))
    const waiting = waitForEnd(parts, pending, eventsOf(screen, parts))
    const arrived = await interruption.unlessEnding(Promise.race([refusal.promise, waiting]))
    await screen.wayBack.settled()
    const { end, outcome, receipt } = await interruption.unlessEnding(kind.open(arrived, pending, ask))
    if (receiptFile !== null && receipt !== undefined) writeReceipt(receiptFile, receipt, server)
    screen.view.finished(outcome)
    return end
  } catch (error) {
    if (isEnd(error)) screen.view.dropped()
    if (isRefused) await withdraw(making, parts)
    throw error
  } finally {
    close()
    interruption.takeBack()
  }
}

// After a network failure the request may still be open, and its link works.
function isEnd(error: unknown): boolean {
  return error instanceof CliError && (error.exitCode === EXIT.denied || error.exitCode === EXIT.expired)
}

async function newSecrets({ randomness }: Parts): Promise<Secrets> {
  const random = await randomness()
  return { keyPair: random.newKeyPair(), verifier: random.newPollVerifier() }
}

type Screen = Awaited<ReturnType<typeof openScreen>>

/** What the person sees, and how the approval comes back.
 * @returns `whyNotOpen`: null to open the browser */
async function openScreen(
  { compare }: Pick<ClientRequest<unknown>, 'compare'>,
  options: RequestOptions,
  { refused, parts }: { refused: (error: unknown) => void; parts: Parts },
) {
  const view = await waitingView(parts)
  const whyNotOpen = options.whyNotOpen ?? whyNoBrowser(parts.env, parts.platform)
  const opensBrowser = whyNotOpen === null
  const comparing = compare && { with: compare, refused }
  const wayBack = await openWayBack({ opensBrowser, compare: comparing }, parts)
  return { view, wayBack, whyNotOpen }
}

function eventsOf({ view, wayBack }: Screen, parts: Parts): WaitEvents {
  return {
    onTrouble: (reason) => view.trouble(printable(reason)),
    onRecovery: () => view.recovered(),
    onNeeds: (needs, other, statement) => {
      void wayBack.onNeeds(needs, statement)
      if (other !== null) view.say(otherNeeded(other, parts.clock.monotonicMs()))
    },
  }
}

type Showing = Screen & { readonly pending: PendingRequest; readonly parts: Parts }

function show(
  { name, keys, bundles, removes = 0 }: Pick<ClientRequest<unknown>, 'name' | 'keys' | 'bundles' | 'removes'>,
  { command, bundle, workspace, agent, reason, hidesQrCode }: RequestOptions,
  { view, wayBack, whyNotOpen, pending, parts }: Showing,
): void {
  const address = wayBack.begin(pending, view, whyNotOpen === null)
  if (whyNotOpen === null) parts.openBrowser(address)
  const { keyPair: _keyPair, verifier: _verifier, ...open } = pending
  view.requested({
    ...open,
    ...(name === null ? {} : { kind: name }),
    bundle: bundles?.join(', ') ?? bundle,
    workspace,
    keys,
    removes,
    command: shownLine(command),
    agent,
    reason,
    hidesQrCode: hidesQrCode || isOnThisMachine(pending.approvalUrl),
    whyNotOpened: whyNotOpen,
  })
  if (pending.mayLeave) view.say(IF_STOPPED)
}

/** The view that was chosen; for a person, the one that fits stderr. */
async function waitingView(parts: Parts): Promise<WaitingView> {
  if (parts.view === 'json') return (await import('../terminal/plain-view.ts')).jsonView(parts)
  if (parts.view === 'quiet') return (await import('../terminal/plain-view.ts')).quietView(parts)
  if (parts.stderr.isTerminal) return (await import('../terminal/live-view.ts')).liveView(parts)
  return (await import('../terminal/plain-view.ts')).plainView(parts)
}
