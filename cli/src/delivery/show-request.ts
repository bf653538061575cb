import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import type { WayBack } from '../release/way-back.ts'
import { isLoopback } from '../server/loopback.ts'
import type { Asked, WaitingView } from '../terminal/waiting-view.ts'
import type { Ask } from './ask.ts'
import { shownArgument } from './claims.ts'

/** How a request is shown to the person, and how the approval comes back. */
export type Shown = {
  readonly view: WaitingView
  readonly parts: Parts
  readonly wayBack: WayBack
  /** Null to open the browser. */
  readonly whyNotOpen: string | null
}

const JOINS = 'the page of a command that started at the same time shows this one too'

/** Show the link of a request, and open it in the browser if that is wanted. */
export function showRequest(
  ask: Ask,
  pending: PendingRequest,
  { view, parts, wayBack, whyNotOpen }: Shown,
): void {
  const whyNot = whyNotOpen ?? (pending.joins ? JOINS : null)
  const address = wayBack.begin(pending, view, whyNot === null)
  if (whyNot === null) parts.openBrowser(address)
  view.asked(facts(ask, pending, whyNot))
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
