import { wipe } from '@keyferry/crypto/key-pair'
import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { requireWritable } from '../output/output-file.ts'
import { openWayBack } from '../release/way-back.ts'
import { withdrawRequest } from '../server/approval-requests.ts'
import { requireKnownBundle } from '../server/known-bundle.ts'
import { readable } from '../server/server-failure.ts'
import { requireKeepable } from '../state/kept-requests.ts'
import { whyNoBrowser } from '../terminal/browser.ts'
import { waitingView } from '../terminal/choose-view.ts'
import type { Ask } from './ask.ts'
import type { Delivered } from './delivered-values.ts'
import { fetchValues } from './fetch-values.ts'
import { atInterruption } from './interruption.ts'
import { makeRequest } from './make-request.ts'
import { withdraw } from './withdraw.ts'

/** There is no valid remembered approval, and the caller chose not to ask a person. */
export class PersonNeeded extends CliError {}

/** Whether a person may be asked if no approval is remembered. */
export type Asking = { readonly mayAsk: boolean }

/** Get the values by a request that a person approves, or approved before.
 * @throws PersonNeeded · CliError */
export async function deliverToPerson(ask: Ask, parts: Parts, { mayAsk }: Asking): Promise<Delivered> {
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
