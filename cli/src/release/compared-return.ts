import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { withResolvers } from '../base/with-resolvers.ts'
import { NO_CODE_NEEDED, PLAN_CHANGED, releaseRequest } from '../server/approval-requests.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import { codeRefused, type Notice, type WaitingView } from '../terminal/waiting-view.ts'
import type { SocketRelease } from './release-socket.ts'

/*
 * The client checks an approval before it returns it. Each approval comes with a signed statement, and the client sends
 * the secret to the server only after `compare` allows it. If `compare` asks the person, the server keeps the secret in
 * the meantime, so that the browser need not wait.
 */

/** Resolves when the client may return the approval. If it throws, the request ends.
 * @param ask shows a notice and reads an answer; null: the question ended without one */
export type Compare = (
  statement: SignedReceipt | null,
  pending: PendingRequest,
  ask: (notice: Notice, question: string) => Promise<string | null>,
) => Promise<void>

type Returning = { readonly pending: PendingRequest; readonly view: WaitingView; readonly parts: Parts }

type ReturnHold = {
  /** Resolves when the approval may be returned. */
  readonly allowed: ReturnType<typeof withResolvers<void>>
  /** Resolves when the person is asked. */
  readonly asked: ReturnType<typeof withResolvers<void>>
  /** Ends the question. */
  readonly over: AbortController
}

const newHold = (): ReturnHold => ({
  allowed: withResolvers<void>(),
  asked: withResolvers<void>(),
  over: new AbortController(),
})

/** @param release hands a secret to the server
 * @param refused called with the reason why the request ends */
export function comparedReturn(compare: Compare, release: SocketRelease, refused: (error: unknown) => void) {
  let hold = newHold()
  let hasArrived = false
  const next = (): void => {
    hold.over.abort()
    hold = newHold()
    hasArrived = false
  }
  const returnNow: SocketRelease = async (secret) => {
    const answer = await release(secret)
    // Another approval of the same request needs a comparison of its own.
    if (answer === null || answer === PLAN_CHANGED || answer === NO_CODE_NEEDED) next()
    return answer
  }
  return {
    /** Returns the secret when its approval is compared. */
    release: async (secret: string, { pending, view, parts }: Returning): Promise<string | null> => {
      const { allowed, asked } = hold
      const first = await Promise.race([
        allowed.promise.then(() => 'allowed'),
        asked.promise.then(() => 'asked'),
      ])
      if (first === 'allowed') return await returnNow(secret)
      const kept = await releaseRequest(parts.exchange, pending, secret, { keep: true })
      const later = async (): Promise<void> => {
        await allowed.promise
        const refusal = await returnNow(secret)
        if (refusal !== null) view.say(codeRefused(refusal))
      }
      if (kept === null) void later()
      return kept
    },
    /** Compare an approval that is on its way. Resolves when it may be returned; never resolves otherwise. */
    arrived: (statement: SignedReceipt | null, { pending, view, parts }: Returning): Promise<void> => {
      // The secret may come before the statement.
      if (hasArrived) next()
      hasArrived = true
      const { allowed, asked, over } = hold
      const ask = async (notice: Notice, question: string): Promise<string | null> => {
        view.say(notice)
        asked.resolve()
        return await parts.keyboard.askUntil(question, over.signal)
      }
      void compare(statement, pending, ask).then(allowed.resolve, (error: unknown) => {
        if (!over.signal.aborted) refused(error)
      })
      return allowed.promise
    },
    end: (): void => hold.over.abort(),
  }
}
