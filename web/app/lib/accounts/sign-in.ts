import { invitationIn } from '@keyferry/contract/invitation-path'
import { askedReturn } from '@keyferry/contract/return-path'
import { call } from '../calls/call.ts'
import { answerWithPasskey, passkeyOptionsOf } from './passkey-sign-in.ts'

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
