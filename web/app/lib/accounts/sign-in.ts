import { CallError } from '@keyferry/contract/client'
import { invitationIn } from '@keyferry/contract/invitation-path'
import { askedReturn } from '@keyferry/contract/return-path'
import { call } from '../calls/call.ts'
import { passkeyProblem, webAuthn } from '../data/passkey-browser.ts'

/** Sign in with e-mail and password, and with a passkey if the account asks for it.
 * @param newPassword needed once after a reset
 * @param onPasskey called before the browser asks for the passkey
 * @throws CallError · Problem: the browser gave no passkey */
export async function signIn({
  newPassword,
  onPasskey,
  ...credentials
}: {
  email: string
  password: string
  newPassword: string | null
  onPasskey: () => void
}): Promise<void> {
  const chosen = newPassword === null ? {} : { new_password: newPassword }
  try {
    await call('signIn', { ...credentials, ...chosen })
  } catch (error) {
    const options = passkeyOptionsOf(error)
    if (options === null) throw error
    onPasskey()
    await answerWithPasskey(options)
  }
}

/** The invitation that led to sign-up, or null. */
export function invitationToken(search: string): string | null {
  return invitationIn(askedReturn(search))
}

/** Where to go after signing in. The fragment is kept: the client's way back on the approval page is in it. */
export function returnAddress(): string {
  return askedReturn(location.search) + location.hash
}

type ChallengeOptions = { challenge: string; rpId: string; userVerification: 'required' | 'preferred' }

/** What the browser needs to answer the right password with a passkey; null: the server did not ask for one. */
function passkeyOptionsOf(error: unknown): ChallengeOptions | null {
  if (!(error instanceof CallError) || error.code !== 'passkey_required') return null
  const { challenge, rpId } = error.details
  if (typeof challenge !== 'string' || typeof rpId !== 'string') return null
  return { challenge, rpId, userVerification: 'preferred' }
}

/** Ask the browser for a passkey, and sign in with it.
 * @throws Problem: the browser gave none · CallError: the server refused it */
async function answerWithPasskey(options: ChallengeOptions): Promise<void> {
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
