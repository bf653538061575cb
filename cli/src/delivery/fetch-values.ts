import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts, Values } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { printable } from '../ground/printable.ts'
import { whileWaiting } from '../ground/while-waiting.ts'
import { keepReceipt } from '../receipt/keep-receipt.ts'
import { type Receipt, requireNames } from '../receipt/receipt.ts'
import type { Delivery, SignedReceipt } from '../server/wait-answer.ts'
import { forgetRequest, keepRequest } from '../state/kept-requests.ts'
import type { Received } from '../terminal/waiting-view.ts'
import { requireRequestedBundle, requireRequestedKeys } from './agreement.ts'
import type { Ask } from './ask.ts'
import { checkReceipt } from './check-receipt.ts'
import type { Delivered } from './delivered-values.ts'
import type { Interruption } from './interruption.ts'
import { type Shown, showRequest } from './show-request.ts'
import { waitForDelivery } from './wait.ts'

type Waiter = Shown & { readonly interruption: Interruption }

/** Show a request to the person, wait for its approval, and open and check what the server delivers.
 * @throws CliError */
export async function fetchValues(
  ask: Ask,
  pending: PendingRequest,
  { view, parts, interruption, wayBack, whyNotOpen }: Waiter,
): Promise<Delivered> {
  const takeBack = keep(ask, pending, parts)
  if (pending.remembered === null) showRequest(ask, pending, { view, parts, wayBack, whyNotOpen })
  else view.remembered(pending.remembered)
  try {
    const waiting = waitForDelivery(parts, pending, {
      onTrouble: (reason) => view.trouble(printable(reason)),
      onRecovery: () => view.recovered(),
      onNeeds: wayBack.onNeeds,
    })
    const opening = whileWaiting(() => import('./delivered-values.ts'))
    const [delivery, { openDelivery }] = await interruption.unlessEnding(Promise.all([waiting, opening]))
    await wayBack.settled()
    requireRequestedBundle(delivery, ask)
    const receipt = await checkReceipt(delivery, { ask, pending, parts })
    const values = openDelivery(delivery.ciphertextBase64, pending.keyPair, ask.keys)
    if (receipt !== null) requireNames(receipt, [...values.keys()])
    requireRequestedKeys(values, ask)
    if (ask.receiptFile !== null) keepReceipt(ask.receiptFile, signedReceipt(delivery, ask), ask.server)
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

function signedReceipt({ receipt }: Delivery, { server }: Ask): SignedReceipt {
  if (receipt !== null) return receipt
  throw new CliError(EXIT.refused, `${server} signs no receipts`, 'Omit --receipt, or update the server.')
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
