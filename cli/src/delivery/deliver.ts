import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code.ts'
import { readable } from '../server/server-failure.ts'
import { forgetRequest, keepRequest, requireKeepable } from '../state/kept-requests.ts'
import type { Surroundings } from '../surroundings.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { waitingView } from '../terminal/choose-view.ts'
import { printable } from '../terminal/printable.ts'
import type { Asked, WaitingView } from '../terminal/waiting-view.ts'
import type { Ask } from './ask.ts'
import { shownArgument } from './claims.ts'
import type { Values } from './delivered-values.ts'
import { atInterruption, type Interruption } from './interruption.ts'
import { makeRequest } from './make-request.ts'
import type { PendingRequest } from './pending-request.ts'
import { waitForDelivery } from './wait.ts'
import { withdraw } from './withdraw.ts'

/** Ask, wait for a person, open what comes: the whole way of the values.
 * @throws CliError */
export async function deliver(ask: Ask, surroundings: Surroundings): Promise<Values> {
  if (ask.keepAs !== null) requireKeepable(surroundings)
  const random = await surroundings.randomness()
  const keyPair = ask.pending?.keyPair ?? random.newKeyPair()
  const view = await waitingView(ask.view, surroundings)
  const making =
    ask.pending === null
      ? makeRequest(ask, { keyPair, verifier: random.newPollVerifier() }, surroundings)
      : Promise.resolve(ask.pending)
  let isKept = ask.pending !== null
  const interruption = atInterruption(surroundings, async () => {
    wipe(keyPair.secretKey)
    view.end()
    if (!isKept) await withdraw(making, ask.view, surroundings)
  })
  try {
    const pending = await interruption.unlessEnding(making)
    isKept = ask.keepAs !== null
    return await fetchValues(ask, pending, { view, surroundings, interruption })
  } catch (error) {
    throw readable(error, ask.server)
  } finally {
    wipe(keyPair.secretKey)
    view.end()
    interruption.takeBack()
  }
}

type Means = {
  readonly view: WaitingView
  readonly surroundings: Surroundings
  readonly interruption: Interruption
}

async function fetchValues(
  ask: Ask,
  pending: PendingRequest,
  { view, surroundings, interruption }: Means,
): Promise<Values> {
  const takeBack = keep(ask, pending, surroundings)
  view.asked(facts(ask, pending, openPage(ask, pending, surroundings)))
  const opening = import('./delivered-values.ts') // while the person looks at the page
  try {
    const waiting = waitForDelivery(surroundings, pending, {
      onTrouble: (reason) => view.trouble(printable(reason)),
      onRecovery: () => view.recovered(),
    })
    const [box, { openDelivery }] = await interruption.unlessEnding(Promise.all([waiting, opening]))
    const values = openDelivery(box, pending.keyPair, ask.keys)
    reportDelivery(values, ask.keys, view)
    forgetRequest(pending.id, surroundings)
    return values
  } catch (error) {
    if (!canGoOn(error)) forgetRequest(pending.id, surroundings)
    throw error
  } finally {
    takeBack()
  }
}

// Says after an interruption that there is something to go on with, for as long as there is.
function keep(ask: Ask, pending: PendingRequest, surroundings: Surroundings): () => void {
  const { atInterrupt, stderr } = surroundings
  if (ask.keepAs === null) return () => undefined
  if (ask.pending === null) keepRequest(pending, ask.keepAs, surroundings)
  const told =
    ask.view === 'json'
      ? JSON.stringify({ event: 'resumable', id: pending.id })
      : 'keyferry: keyferry resume goes on with this request'
  return atInterrupt(() => stderr.write(`${told}\n`))
}

function reportDelivery(values: Values, keys: readonly string[], view: WaitingView): void {
  const missing = keys.filter((name) => !values.has(name))
  view.delivered([...values.keys()], missing)
}

// A network that failed for good this time may work the next; every other end is the request's end.
function canGoOn(error: unknown): boolean {
  return !(error instanceof CliError) || error.exitCode === EXIT.network
}

function openPage(ask: Ask, { approvalUrl }: PendingRequest, surroundings: Surroundings): string | null {
  const why = ask.whyNotOpen ?? whyNoBrowser(surroundings.env, surroundings.platform)
  if (why === null) surroundings.openBrowser(approvalUrl)
  return why
}

function facts(ask: Ask, pending: PendingRequest, whyNotOpened: string | null): Asked {
  const { approvalUrl, userCode, lifetimeMs, deadlineMs } = pending
  return {
    server: pending.server,
    bundle: ask.bundle,
    keys: ask.keys,
    command: ask.command.map(shownArgument).join(' '),
    approvalUrl,
    userCode,
    lifetimeMs,
    deadlineMs,
    whyNotOpened,
  }
}
