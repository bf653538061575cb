import type { Parts } from '../base/parts.ts'
import type { ReleaseOutcome } from '../server/approval-requests.ts'
import { codeRefused, type WaitingView } from '../terminal/waiting-view.ts'

const CODE = /^\d{6}$/
const SECRET = /^[\w-]{43}$/

type EnterCode = {
  readonly release: (secret: string) => Promise<ReleaseOutcome>
  readonly view: WaitingView
}

/** Hand a code to the server.
 * @returns why it was refused; null if the approval is released */
async function enterCode(text: string, release: EnterCode['release']): Promise<string | null> {
  const code = text.replace(/[\s-]/g, '')
  if (!CODE.test(code)) return 'the code of the page has six digits'
  return refusalText(await release(code))
}

/** Hand over what came through the socket: a code that a person typed in another shell, or the secret that the page returned
 * through another client of this terminal.
 * @returns why it was refused; null if the approval is released */
export async function takeIn(text: string, release: EnterCode['release']): Promise<string | null> {
  return SECRET.test(text) ? refusalText(await release(text)) : await enterCode(text, release)
}

function refusalText(outcome: ReleaseOutcome): string | null {
  if (outcome.kind === 'released') return null
  if (outcome.kind === 'wrong') return `that is not the code of the page${triesLeft(outcome.attemptsLeft)}`
  if (outcome.kind === 'late') return 'this code is too old; get a new one on the page'
  if (outcome.kind === 'changed')
    return 'the library changed, so nothing was stored; approve the new plan on the page'
  if (outcome.kind === 'busy') return `the server is busy; try again in ${Math.ceil(outcome.waitMs / 1000)} s`
  return 'this request needs no code any more'
}

function triesLeft(left: number | null): string {
  if (left === null) return ''
  return left === 1 ? '; one try left' : `; ${left} tries left`
}

/** Ask for the code at the keyboard until it is right or the wait ends. */
export async function askForCode(
  { keyboard }: Pick<Parts, 'keyboard'>,
  { release, view }: EnterCode,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    const text = await keyboard.askUntil('  Code: ', ended)
    if (text === null) return
    const refusal = await enterCode(text, release)
    if (refusal === null) return
    if (!ended.aborted) view.say(codeRefused(refusal))
  }
}
