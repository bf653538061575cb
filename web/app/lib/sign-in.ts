import { callWebLayer } from './web-layer.ts'

export type KnownSession = { id: string; userAgent: string; ip: string; lastSeenAt: string; current: boolean }

/** Where the person is signed in, the latest first. */
export async function fetchSessions(): Promise<KnownSession[]> {
  const { sessions } = await callWebLayer('GET', '/auth/sessions')
  return Array.isArray(sessions) ? sessions.map(knownSession) : []
}

function knownSession(value: unknown): KnownSession {
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  return {
    id: text(fields['id']),
    userAgent: text(fields['user_agent']),
    ip: text(fields['ip']),
    lastSeenAt: text(fields['last_seen_at']),
    current: fields['current'] === true,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** End this session. @returns the address to go to: the identity provider's own sign-out, where it has one */
export async function signOut(): Promise<string> {
  const { redirect_to } = await callWebLayer('POST', '/sign-out')
  return typeof redirect_to === 'string' ? redirect_to : '/'
}

export async function endAllSessions(): Promise<void> {
  await callWebLayer('POST', '/auth/sessions/end-all')
}

export async function signIn(credentials: { email: string; password: string }): Promise<void> {
  await callWebLayer('POST', '/sign-in', credentials)
}

export async function setUp(account: { email: string; password: string; name?: string }): Promise<void> {
  await callWebLayer('POST', '/set-up', account)
}

/** Where to go once signed in: the page that asked for it, if that is one of ours. */
export function returnPath(search: string): string {
  const path = new URLSearchParams(search).get('return_to') ?? '/'
  const target = URL.parse(path, location.origin)
  return path.startsWith('/') && target?.origin === location.origin ? target.pathname + target.search : '/'
}
