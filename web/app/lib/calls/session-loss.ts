import { createNamedClient } from '@keyferry/contract/client'
import { createListeners } from '../page/kept.ts'
import { hasUnsaved } from '../page/unsaved.ts'
import { describeFailure, Problem } from './failure.ts'
import { pagePerson } from './person.ts'

/*
 * A session can end while a person types, and another person can sign in in another tab. Then the page's calls are
 * refused. With nothing unsaved, the page leads to sign-in, or loads again. Otherwise nothing leaves the page: the
 * calls wait, a dialog says why, and they go on once the page's person is signed in again.
 */

/** `another`: who is signed in instead, by name; null: nobody is, or the sign-in was too long ago for an act. */
export type SessionLoss = { another: string | null; isTooOld?: boolean }

/** The session in which an act was refused because the sign-in was too long ago. */
let tooOld: string | null = null
let loss: SessionLoss | null = null
let waiting: PromiseWithResolvers<void> | null = null
const listeners = createListeners()

/** Why calls wait; null: none does. */
export const sessionLoss = (): SessionLoss | null => loss
export const onSessionLoss = listeners.subscribe

function setLoss(next: SessionLoss | null): void {
  loss = next
  listeners.notify()
}

/** Whether a call was refused because the page's person is not signed in any more. */
export function isSessionLost(error: unknown): boolean {
  const { status, code } = describeFailure(error)
  return status === 401 || code === 'other_person'
}

/** Run a call; where its sign-in was too long ago, or its session has ended and the page contains unsaved text, wait,
 * and run it once more.
 * @throws Problem: the person does not want to wait */
export async function goingOn<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (describeFailure(error).code === 'sign_in_again') tooOld = await ownSession()
    else if (!isSessionLost(error) || pagePerson() === null || !hasUnsaved()) throw error
    await signedInAgain()
  }
  return await run()
}

async function signedInAgain(): Promise<void> {
  waiting ??= Promise.withResolvers()
  const { promise } = waiting
  await lookAgain()
  await promise
}

// Without the header that names the page's person: it asks who that is now.
const { getMe, listSessions } = ADDRESSES
const ask = createNamedClient({ getMe, listSessions }, (input, init) => fetch(input, init))

// A new sign-in begins another session.
async function ownSession(): Promise<string | null> {
  return (await ask('listSessions', {})).find(({ current }) => current)?.id ?? null
}

/** Find out who is signed in; if that is the page's person, the calls go on. */
export async function lookAgain(): Promise<void> {
  if (waiting === null) return
  try {
    const { user_id, username, email } = await ask('getMe', {})
    if (user_id !== pagePerson()) return setLoss({ another: email === '' ? username : email })
    if (tooOld !== null && (await ownSession()) === tooOld) return setLoss({ another: null, isTooOld: true })
    waiting.resolve()
    goOn()
  } catch (error) {
    if (isSessionLost(error)) setLoss({ another: null })
  }
}

/** The person goes back to the page without signing in. The calls that wait fail; what is typed stays. */
export function stopWaiting(): void {
  const why = tooOld === null ? 'you are signed out on this page' : 'your sign-in was too long ago for this'
  waiting?.reject(new Problem(`Not saved: ${why}. Sign in again, then save.`))
  goOn()
}

function goOn(): void {
  waiting = null
  tooOld = null
  setLoss(null)
}
