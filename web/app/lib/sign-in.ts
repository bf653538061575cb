import { callWebLayer, fieldsOf, textOf } from './web-layer.ts'

export type KnownSession = { id: string; userAgent: string; lastSeenAt: string; current: boolean }

/** Where the person is signed in. */
export async function fetchSessions(): Promise<KnownSession[]> {
  const sessions = await callWebLayer('GET', '/auth/sessions')
  return Array.isArray(sessions) ? sessions.map(knownSession) : []
}

function knownSession(value: unknown): KnownSession {
  const fields = fieldsOf(value)
  return {
    id: textOf(fields['id']),
    userAgent: textOf(fields['user_agent']),
    lastSeenAt: textOf(fields['last_seen_at']),
    current: fields['current'] === true,
  }
}

export async function endSession(id: string): Promise<void> {
  await callWebLayer('DELETE', `/auth/sessions/${encodeURIComponent(id)}`)
}

/** End this session, or all that the person has. @returns the address to go to: ours, or the identity provider's sign-out */
export async function signOut(where: 'here' | 'everywhere'): Promise<string> {
  const path = where === 'here' ? '/sign-out' : '/auth/sessions/end-all'
  return textOf(fieldsOf(await callWebLayer('POST', path, {}))['redirect_to']) || '/'
}

export async function signIn(credentials: { email: string; password: string }): Promise<void> {
  await callWebLayer('POST', '/sign-in', credentials)
}

export async function setUp(account: { email: string; password: string; name?: string }): Promise<void> {
  await callWebLayer('POST', '/set-up', account)
}

/** Make an account by an invitation, and join its workspace. */
export async function signUp(account: { token: string; password: string }): Promise<void> {
  await callWebLayer('POST', '/sign-up', account)
}

/** The invitation that led to sign-up, or null. */
export function invitationToken(search: string): string | null {
  return /^\/invite\/([\w-]+)$/.exec(returnPath(search))?.[1] ?? null
}

/** Where to go once signed in: the page that asked for it, if that is one of ours. */
export function returnPath(search: string): string {
  const path = new URLSearchParams(search).get('return_to') ?? '/'
  const target = URL.parse(path, location.origin)
  if (!path.startsWith('/') || target?.origin !== location.origin) return '/'
  // Taking out `..` can leave two slashes behind, which would name another host.
  return target.pathname.startsWith('//') ? '/' : target.pathname + target.search
}
