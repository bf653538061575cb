import { askedReturn } from '@keyferry/contract/return-path'
import { call } from './api.ts'
import { answerWithPasskey, passkeyOptionsOf } from './passkey-sign-in.ts'

export type KnownSession = { id: string; userAgent: string; lastSeenAt: string; current: boolean }

/** Where the person is signed in. */
export async function fetchSessions(): Promise<KnownSession[]> {
  const sessions = await call('GET', '/auth/sessions')
  return sessions.map(({ id, user_agent, last_seen_at, current }) => {
    return { id, userAgent: user_agent, lastSeenAt: last_seen_at, current }
  })
}

export async function endSession(id: string): Promise<void> {
  await call('DELETE', '/auth/sessions/{id}', { params: { id } })
}

/** End this session, or all that the person has. @returns the address to go to: ours, or the identity provider's sign-out */
export async function signOut(where: 'here' | 'everywhere'): Promise<string> {
  const path = where === 'here' ? '/sign-out' : '/auth/sessions/end-all'
  return (await call('POST', path)).redirect_to
}

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
    await call('POST', '/sign-in', { body: { ...credentials, ...chosen } })
  } catch (error) {
    const options = passkeyOptionsOf(error)
    if (options === null) throw error
    onPasskey()
    await answerWithPasskey(options)
  }
}

export async function changePassword(change: { current: string; chosen: string }): Promise<void> {
  await call('POST', '/auth/password', {
    body: { current_password: change.current, new_password: change.chosen },
  })
}

export async function changeEmail(change: { current: string; email: string }): Promise<void> {
  await call('POST', '/auth/email', { body: { current_password: change.current, email: change.email } })
}

export async function setUp(account: { setupCode: string; email: string; password: string }): Promise<void> {
  const { setupCode: setup_code, ...credentials } = account
  await call('POST', '/set-up', { body: { setup_code, ...credentials } })
}

/** Make an account by an invitation, and join its workspace. */
export async function signUp(account: { token: string; password: string }): Promise<void> {
  await call('POST', '/sign-up', { body: account })
}

/** The invitation that led to sign-up, or null. */
export function invitationToken(search: string): string | null {
  return /^\/invite\/([\w-]+)$/.exec(askedReturn(search))?.[1] ?? null
}

/** Where to go after signing in. The fragment is kept: the client's way back on the approval page is in it. */
export function returnAddress(): string {
  return askedReturn(location.search) + location.hash
}
