import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts, Values } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { printable } from '../ground/printable.ts'
import { findCredential } from '../machine/credential.ts'
import { requireWritable, writeOutputFile } from '../output/output-file.ts'
import { type Receipt, requireNames } from '../receipt/receipt.ts'
import { openWayBack, type WayBack } from '../release/way-back.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { requireKnownBundle } from '../server/known-bundle.ts'
import { isLoopback } from '../server/loopback.ts'
import { readable } from '../server/server-failure.ts'
import type { Delivery } from '../server/wait-answer.ts'
import { forgetRequest, keepRequest, requireKeepable } from '../state/kept-requests.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { waitingView } from '../terminal/choose-view.ts'
import type { Asked, Received, WaitingView } from '../terminal/waiting-view.ts'
import { requireRequestedBundle, requireRequestedKeys } from './agreement.ts'
import type { Ask } from './ask.ts'
import { checkReceipt } from './check-receipt.ts'
import { shownArgument } from './claims.ts'
import type { Delivered } from './delivered-values.ts'
import { atInterruption, type Interruption } from './interruption.ts'
import { makeRequest } from './make-request.ts'
import { waitForDelivery } from './wait.ts'
import { withdraw } from './withdraw.ts'

/** A remembered approval does not hold, and nobody is to be asked. */
export class PersonNeeded extends CliError {}

/** Get the values: as a machine if this environment has its credential, else by a request that a person approves.
 * @throws CliError */
export async function deliver(ask: Ask, parts: Parts): Promise<Delivered> {
  return await deliverAs(ask, parts, { mayAsk: true })
}

/** Get the values without asking a person: as a machine, or by a remembered approval.
 * @throws PersonNeeded · CliError */
export async function deliverUnasked(ask: Ask, parts: Parts): Promise<Delivered> {
  return await deliverAs(ask, parts, { mayAsk: false })
}

type Asking = { readonly mayAsk: boolean }

async function deliverAs(ask: Ask, parts: Parts, asking: Asking): Promise<Delivered> {
  const credential = findCredential(ask.as, ask.server, parts)
  if (credential === null) return await deliverToPerson(ask, parts, asking)
  const { deliverToMachine } = await import('./deliver-to-machine.ts')
  return await deliverToMachine(ask, credential, parts)
}

async function deliverToPerson(ask: Ask, parts: Parts, { mayAsk }: Asking): Promise<Delivered> {
  if (ask.keepAs !== null) requireKeepable(parts)
  if (ask.receiptFile !== null) requireWritable({ path: ask.receiptFile, mayReplace: true })
  const random = await parts.randomness()
  const keyPair = ask.pending?.keyPair ?? random.newKeyPair()
  const view = await waitingView(ask.view, parts)
  const whyNotOpen = ask.whyNotOpen ?? whyNoBrowser(parts.env, parts.platform)
  const wayBack = await openWayBack(
    { opensBrowser: whyNotOpen === null, viewName: ask.view, isSigned: ask.isRemembered },
    parts,
  )
  const making =
    ask.pending === null
      ? makeRequest(ask, { keyPair, verifier: random.newPollVerifier(), wayBack }, parts)
      : Promise.resolve(ask.pending)
  let isKept = ask.pending !== null
  const interruption = atInterruption(parts, async () => {
    wipe(keyPair.secretKey)
    wayBack.end()
    view.end()
    if (!isKept) await withdraw(making, ask.view, parts)
  })
  try {
    const pending = await interruption.unlessEnding(making)
    if (!mayAsk && pending.remembered === null) throw await personNeeded(pending, parts)
    if (ask.pending === null && pending.remembered === null) {
      await interruption.unlessEnding(requireKnown(ask, pending, parts))
    }
    isKept = ask.keepAs !== null
    return await fetchValues(ask, pending, { view, parts, interruption, wayBack, whyNotOpen })
  } catch (error) {
    throw readable(error, ask.server)
  } finally {
    wipe(keyPair.secretKey)
    wayBack.end()
    view.end()
    interruption.takeBack()
  }
}

async function personNeeded(pending: PendingRequest, parts: Parts): Promise<PersonNeeded> {
  await withdrawRequest(parts.exchange, pending).catch(() => undefined) // it expires by itself
  const why = pending.asksAgain ?? 'the approval is not remembered'
  return new PersonNeeded(EXIT.denied, why, 'Run the command again, and approve it.')
}

async function requireKnown(ask: Ask, pending: PendingRequest, parts: Parts): Promise<void> {
  try {
    await requireKnownBundle(ask, parts)
  } catch (error) {
    await withdraw(Promise.resolve(pending), ask.view, parts)
    throw error
  }
}

type Waiter = {
  readonly view: WaitingView
  readonly parts: Parts
  readonly interruption: Interruption
  readonly wayBack: WayBack
  /** Null to open the browser. */
  readonly whyNotOpen: string | null
}

async function fetchValues(
  ask: Ask,
  pending: PendingRequest,
  { view, parts, interruption, wayBack, whyNotOpen }: Waiter,
): Promise<Delivered> {
  const takeBack = keep(ask, pending, parts)
  if (pending.remembered === null) askPerson(ask, pending, { view, parts, wayBack, whyNotOpen })
  else view.remembered(pending.remembered)
  const opening = import('./delivered-values.ts') // load it while the person looks at the page
  try {
    const waiting = waitForDelivery(parts, pending, {
      onTrouble: (reason) => view.trouble(printable(reason)),
      onRecovery: () => view.recovered(),
      onNeeds: wayBack.onNeeds,
    })
    const [delivery, { openDelivery }] = await interruption.unlessEnding(Promise.all([waiting, opening]))
    await wayBack.settled()
    requireRequestedBundle(delivery, ask)
    const receipt = await checkReceipt(delivery, { ask, pending, parts })
    const values = openDelivery(delivery.ciphertextBase64, pending.keyPair, ask.keys)
    if (receipt !== null) requireNames(receipt, [...values.keys()])
    requireRequestedKeys(values, ask)
    if (ask.receiptFile !== null) keepReceipt(ask.receiptFile, delivery, ask.server)
    view.delivered({ ...received(values, delivery, ask), ...approval(receipt) })
    forgetRequest(pending.id, parts)
    return { values, deliveryId: delivery.deliveryId }
  } catch (error) {
    if (!canGoOn(error)) forgetRequest(pending.id, parts)
    throw error
  } finally {
    takeBack()
  }
}

const JOINS = 'the page of another command of this start shows this one too'

function askPerson(
  ask: Ask,
  pending: PendingRequest,
  { view, parts, wayBack, whyNotOpen }: Omit<Waiter, 'interruption'>,
): void {
  const whyNot = whyNotOpen ?? (pending.joins ? JOINS : null)
  const address = wayBack.begin(pending, view, whyNot === null)
  if (whyNot === null) parts.openBrowser(address)
  view.asked(facts(ask, pending, whyNot))
}

// After an interruption, tells the person that the request can be resumed.
function keep(ask: Ask, pending: PendingRequest, parts: Parts): () => void {
  const { atInterrupt, stderr } = parts
  if (ask.keepAs === null) return () => undefined
  if (ask.pending === null) keepRequest(pending, ask.keepAs, parts)
  const told =
    ask.view === 'json'
      ? JSON.stringify({ event: 'resumable', id: pending.id })
      : 'keyferry: continue this request with keyferry resume'
  return atInterrupt(() => stderr.write(`${told}\n`))
}

function approval(receipt: Receipt | null): Pick<Received, 'approvers' | 'releasedBy'> {
  return { approvers: receipt?.approvers ?? [], releasedBy: receipt?.releasedBy ?? null }
}

function keepReceipt(path: string, { receipt }: Delivery, server: string): void {
  if (receipt === null) throw noReceipt(server)
  writeOutputFile({ path, mayReplace: true }, `${JSON.stringify({ server, ...receipt })}\n`)
}

function noReceipt(server: string): CliError {
  return new CliError(EXIT.refused, `${server} signs no receipts`, 'Omit --receipt, or update the server.')
}

function received(values: Values, delivery: Delivery, ask: Ask): Omit<Received, 'approvers' | 'releasedBy'> {
  const { bundle, workspace, missingRequired, expired, deliveryId, versions } = delivery
  return {
    expired,
    deliveryId,
    versions,
    names: [...values.keys()],
    missing: ask.keys.filter((name) => !values.has(name)),
    bundle: bundle?.name ?? null,
    workspace: workspace?.name ?? null,
    missingRequired,
    isUnchecked: bundle === null && ask.bundle !== null && !ask.acceptsAnyBundle,
  }
}

// After a network failure the request may still be open; every other error ends it.
function canGoOn(error: unknown): boolean {
  return !(error instanceof CliError) || error.exitCode === EXIT.network
}

function facts(ask: Ask, pending: PendingRequest, whyNotOpened: string | null): Asked {
  const { approvalUrl, userCode, isCodeTyped, lifetimeMs, deadlineMs } = pending
  return {
    server: pending.server,
    bundle: ask.bundle,
    workspace: ask.workspace,
    keys: ask.keys,
    command: ask.command.map(shownArgument).join(' '),
    approvalUrl,
    userCode,
    isCodeTyped,
    lifetimeMs,
    deadlineMs,
    hidesQrCode: ask.hidesQrCode || isLoopback(new URL(approvalUrl).hostname),
    whyNotOpened,
    asksAgain: pending.asksAgain,
  }
}
