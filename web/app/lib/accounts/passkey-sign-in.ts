import { CallError } from '@keyferry/contract/client'
import { call } from '../calls/call.ts'
import { passkeyProblem, webAuthn } from '../data/passkey-browser.ts'

type ChallengeOptions = { challenge: string; rpId: string; userVerification: 'required' | 'preferred' }

/** What the browser needs to answer the right password with a passkey; null: the server did not ask for one. */
export function passkeyOptionsOf(error: unknown): ChallengeOptions | null {
  if (!(error instanceof CallError) || error.code !== 'passkey_required') return null
  const { challenge, rpId } = error.details
  if (typeof challenge !== 'string' || typeof rpId !== 'string') return null
  return { challenge, rpId, userVerification: 'preferred' }
}

/** Ask the browser for a passkey, and sign in with it.
 * @throws Problem: the browser gave none · CallError: the server refused it */
export async function answerWithPasskey(options: ChallengeOptions): Promise<void> {
  const { startAuthentication } = await webAuthn()
  const passkey = await startAuthentication({ optionsJSON: options }).catch(passkeyProblem)
  await call('signInWithPasskey', { passkey })
}

/** Sign in with a passkey and no password.
 * @throws Problem: the browser gave none · CallError: the server refused it */
export async function signInWithPasskey(): Promise<void> {
  await answerWithPasskey(await call('beginPasskeySignIn', {}))
}

/** Let the browser offer its passkeys in the e-mail field, and sign in with the one that the person picks.
 * @returns false: the browser cannot, or another call asked for a passkey
 * @throws CallError: the server refused the picked passkey */
export async function offerPasskeys(): Promise<boolean> {
  const passkey = await offered()
  if (passkey === null) return false
  await call('signInWithPasskey', { passkey })
  return true
}

// The person has not asked for the offer, so a failure of it is not shown. The button shows what is wrong.
async function offered() {
  try {
    const { browserSupportsWebAuthnAutofill, startAuthentication } = await webAuthn()
    if (!(await browserSupportsWebAuthnAutofill())) return null
    const optionsJSON = await call('beginPasskeySignIn', {})
    return await startAuthentication({ optionsJSON, useBrowserAutofill: true })
  } catch {
    return null
  }
}

/** End what `offerPasskeys` waits for. */
export async function stopOfferingPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await webAuthn()
  WebAuthnAbortService.cancelCeremony()
}
