import type { Parts } from '../base/parts.ts'
import { codeRefused, type WaitingView } from '../terminal/waiting-view.ts'

const CODE = /^\d{6}$/
const SECRET = /^[\w-]{43}$/

/** Hands a secret or a code to the server.
 * @returns why it was refused; null if the approval is released */
export type Release = (secret: string) => Promise<string | null>

type EnterCode = {
  readonly release: Release
  readonly view: WaitingView
}

/** Hand a code to the server.
 * @returns why it was refused; null if the approval is released */
async function enterCode(text: string, release: Release): Promise<string | null> {
  const code = text.replace(/[\s-]/g, '')
  if (!CODE.test(code)) return 'the code of the page has six digits'
  return await release(code)
}

/** Hand over what came through the socket: a code that a person typed in another shell, or the secret that the page
 * returned through another client of this terminal.
 * @returns why it was refused; null if the approval is released */
export async function takeIn(text: string, release: Release): Promise<string | null> {
  return await (SECRET.test(text) ? release(text) : enterCode(text, release))
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
