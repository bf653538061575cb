import type { ReleaseWay } from '@keyferry/contract'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { busyText, NO_CODE_NEEDED, releaseRequest } from '../server/approval-requests.ts'
import { NoAnswer } from '../server/server-failure.ts'
import type { ApprovalNeeds, SignedReceipt } from '../server/wait-answer.ts'
import { isBrowserElsewhere } from '../terminal/browser.ts'
import {
  codeNeeded,
  codeRefused,
  NOT_REACHED,
  NOT_REACHED_ONLY_HERE,
  type Notice,
  type WaitingView,
} from '../terminal/waiting-view.ts'
import { type Compare, comparedReturn } from './compared-return.ts'
import type { LoopbackListener } from './loopback-listener.ts'
import {
  type Answers,
  askForCode,
  enterCode,
  newAnswers,
  type SocketRelease,
  socketPath,
  takeCodes,
} from './release-socket.ts'

// A browser on this machine comes at once; a program that has to start takes a few seconds.
const REACH_MS = 5_000

/** How an approval comes back to this client. A request from another person has another client, so an approval given to
 * a lure never comes back to the one who set it. */
export type WayBack = Awaited<ReturnType<typeof openWayBack>>

type WayBackOptions = {
  readonly opensBrowser: boolean
  /** Checks each approval before the client returns it. The client then accepts a code only if it has no loopback,
   * because an attacker can persuade a person to type the attacker's code. */
  readonly compare?: { readonly with: Compare; readonly refused: (error: unknown) => void } | undefined
}

/** Open the ways back that this machine has: a port of 127.0.0.1 if a browser of this machine opens the page, and a
 * code typed at the terminal or given to `keyferry release`. */
export async function openWayBack({ opensBrowser, compare }: WayBackOptions, parts: Parts) {
  const ended = new AbortController()
  const answers = newAnswers()
  let current: Taking | null = null
  let takesCodes = false
  const releaseAny: SocketRelease = async (secret) =>
    current === null ? NO_CODE_NEEDED : await releaseNow(current.pending, secret, parts)
  const compared = compare && comparedReturn(compare.with, releaseAny, compare.refused)
  const release: SocketRelease = async (secret) =>
    compared && current ? await compared.release(secret, { ...current, parts }) : await releaseAny(secret)
  const listener = opensBrowser && !isBrowserElsewhere(parts.env) ? await listenIfPossible(release) : null
  const hasSockets = parts.platform !== 'win32'
  const canTakeCode = hasSockets || parts.keyboard.isThere()
  const takesCode = canTakeCode && (compare === undefined || listener === null)
  const offered: readonly ReleaseWay[] = [
    ...(listener === null ? [] : ['loopback' as const]),
    ...(takesCode ? ['code' as const] : []),
  ]
  return {
    /** The ways that this client offers with its request. */
    offered,
    /** Start to accept the approval of this request.
     * @param isOpened whether this client opens a browser now
     * @returns what the browser opens */
    begin: (pending: PendingRequest, view: WaitingView, isOpened: boolean): string => {
      current = { pending, view, release, answers, socket: null }
      if (listener === null) return pending.approvalUrl
      const notice = takesCode ? NOT_REACHED : NOT_REACHED_ONLY_HERE
      if (isOpened) void reportUnreached(listener, { view, notice, parts, ended: ended.signal })
      return listener.addressFor(pending.approvalUrl)
    },
    /** Call when the request's needs change; it asks for the code if one is needed. */
    onNeeds: async (needs: ApprovalNeeds, statement: SignedReceipt | null = null): Promise<void> => {
      const isHeld = needs === 'code' || needs === 'loopback'
      if (current === null || !isHeld) return
      await compared?.arrived(statement, { ...current, parts })
      // A deposit with a new plan can need a code again, and so can the approval after a vouch.
      if (needs !== 'code' || !takesCode || takesCodes) return
      takesCodes = true
      void takeCode(current, parts, ended.signal).finally(() => {
        takesCodes = false // no question is open
      })
    },
    /** Resolves when the browser has been sent back to the page, and other shells have their answers, so that this
     * process may end. */
    settled: async () => void (await Promise.all([listener?.settled(), answers.settled()])),
    /** Stop listening and asking. May be called more than once. */
    end: (): void => {
      ended.abort()
      compared?.end()
      listener?.close()
    },
  }
}

async function listenIfPossible(release: SocketRelease): Promise<LoopbackListener | null> {
  const { listenOnLoopback } = await import('./loopback-listener.ts')
  try {
    return await listenOnLoopback(async (secret) => (await release(secret)) === null)
  } catch {
    return null // no port can be had here; the code remains
  }
}

async function releaseNow(pending: PendingRequest, secret: string, parts: Parts): Promise<string | null> {
  try {
    return await releaseRequest(parts.exchange, pending, secret)
  } catch (error) {
    if (error instanceof NoAnswer && error.isPassing) return busyText(null)
    return NO_CODE_NEEDED // the wait meets the same server and reports it
  }
}

type Reach = {
  readonly view: WaitingView
  readonly notice: Notice
  readonly parts: Parts
  readonly ended: AbortSignal
}

async function reportUnreached(
  listener: LoopbackListener,
  { view, notice, parts, ended }: Reach,
): Promise<void> {
  const isReached = listener.reached.then(() => true)
  const isOver = parts.clock.sleep(REACH_MS).then(() => false)
  if (!(await Promise.race([isReached, isOver])) && !ended.aborted) view.say(notice)
}

type Taking = {
  readonly pending: PendingRequest
  readonly view: WaitingView
  readonly release: SocketRelease
  readonly answers: Answers
  /** Null: not opened yet. Otherwise it resolves to null, or to why it could not be opened. */
  socket: Promise<string | null> | null
}

type Opening = Pick<Taking, 'release' | 'answers'> & { readonly parts: Parts; readonly ended: AbortSignal }

// Another shell sends its code through this socket.
async function openSocket(id: string, { release, answers, parts, ended }: Opening): Promise<string | null> {
  try {
    const stop = await takeCodes(
      socketPath(id, parts),
      async (text) => await enterCode(text, release),
      answers,
    )
    if (ended.aborted) stop()
    else ended.addEventListener('abort', stop, { once: true })
    return null
  } catch (error) {
    return printable(String(error))
  }
}

async function takeCode(taking: Taking, parts: Parts, ended: AbortSignal): Promise<void> {
  const { pending, view, release, answers } = taking
  const hasKeyboard = parts.view !== 'json' && parts.keyboard.isThere()
  taking.socket ??= openSocket(pending.id, { release, answers, parts, ended })
  const problem = await taking.socket
  if (!hasKeyboard && problem !== null) {
    view.say(codeRefused(`no code can be taken here: ${problem}; run the command at a terminal`))
    return
  }
  view.say(codeNeeded(hasKeyboard ? null : `keyferry release ${pending.id} CODE`))
  if (hasKeyboard) await askForCode(parts, { release, view }, ended)
}
