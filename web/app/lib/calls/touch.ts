import { CallError } from '@keyferry/contract/client'
import { passkeyProblem, webAuthn } from '../data/passkey-browser.ts'
import { createListeners } from '../page/kept.ts'
import { Problem } from './failure.ts'

/*
 * The server refuses a call that has to be signed, and says what to sign. The page shows it, lets the browser sign it
 * with a signing key, and makes the same call again.
 */

/** What has to be signed. `statement`: the exact text, which the server has written. */
export type AskedTouch = {
  statement: string
  token: string
  challenge: string
  rp_id: string
  keys: readonly { id: string; transports: AuthenticatorTransportFuture[] }[]
}

type AuthenticatorTransportFuture = 'ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb'

/** The header of a call that is signed. */
export type SignedHeader = { 'keyferry-touch': string }

/** What a refused call wants signed; null: it was refused for another reason, or the person has no key that signs. */
function askedTouch(error: unknown): AskedTouch | null {
  if (!(error instanceof CallError) || error.code !== 'touch_required') return null
  // The shape is the contract's, which describes the details of an error in words only.
  const asked = error.details as AskedTouch
  return asked.keys.length === 0 ? null : asked
}

/** The facts of a statement. */
export function factsOf({ statement }: AskedTouch): Readonly<Record<string, unknown>> {
  return JSON.parse(statement) as Record<string, unknown>
}

/** Let the browser sign.
 * @throws Problem: the person did not */
export async function sign({ token, challenge, rp_id, keys }: AskedTouch): Promise<SignedHeader> {
  const { startAuthentication } = await webAuthn()
  const allowCredentials = keys.map((key) => ({ ...key, type: 'public-key' as const }))
  const optionsJSON = { challenge, rpId: rp_id, allowCredentials, userVerification: 'required' as const }
  const { id, response } = await startAuthentication({ optionsJSON }).catch(passkeyProblem)
  const parts = [token, id, response.clientDataJSON, response.authenticatorData, response.signature]
  return { 'keyferry-touch': parts.join('.') }
}

/** Run a call, and once more signed, without another question: its page shows what is signed.
 * @param isShown whether the statement says what the page shows
 * @throws Problem: it does not, or the person did not sign */
export async function signedAtOnce<T>(
  run: (headers: SignedHeader | object) => Promise<T>,
  isShown: (asked: AskedTouch) => boolean,
): Promise<T> {
  try {
    return await run({})
  } catch (error) {
    const asked = askedTouch(error)
    if (asked === null) throw error
    if (!isShown(asked)) throw new Problem('This changed while you looked. Load the page again, then decide.')
    return await run(await sign(asked))
  }
}

/** A call that waits for its signature. `input`: what it sends. */
export type TouchSheet = {
  act: string
  input: object
  asked: AskedTouch
  end: (touched: SignedHeader | null) => void
}

let sheets: readonly TouchSheet[] = []
const listeners = createListeners()

/** The call whose signature is asked for now. */
export const touchSheet = (): TouchSheet | undefined => sheets[0]
export const onTouchSheet = listeners.subscribe

/** Run a call, and once more with the signature that it needs.
 * @throws Problem: the person does not want to sign */
export async function signedWhereNeeded<T>(
  { act, input }: Pick<TouchSheet, 'act' | 'input'>,
  run: (headers: SignedHeader | object) => Promise<T>,
): Promise<T> {
  try {
    return await run({})
  } catch (error) {
    const asked = askedTouch(error)
    if (asked === null) throw error
    return await run(await signed({ act, input, asked }))
  }
}

async function signed(wanted: Omit<TouchSheet, 'end'>): Promise<SignedHeader> {
  const { promise, resolve } = Promise.withResolvers<SignedHeader | null>()
  const sheet = { ...wanted, end: resolve }
  show([...sheets, sheet])
  const touched = await promise
  show(sheets.filter((each) => each !== sheet))
  if (touched === null) throw new Problem('Nothing changed, because you did not sign.')
  return touched
}

function show(next: readonly TouchSheet[]): void {
  sheets = next
  listeners.notify()
}

/** What a signed call is about: facts of its statement, which the server has written, and what the call sends. */
export type SignedAct = { named: (kind: string) => string; sent: (field: string) => string }
