const SESSION_COOKIE = /(?:^|,\s*)((?:__\w+-)?__session)=([^;]+)/

/** What a server that keeps accounts is started with. */
export const ACCOUNTS = { AUTH_MODE: 'accounts', SETUP_CODE: 'a set-up code of the tests' }

/** The owner of a server that keeps accounts itself. */
export const OWNER = { email: 'sam@example.com', password: 'correct horse battery' }

export type SessionCookie = { name: string; value: string }

/** Make the first account of a server. @returns the session that this begins */
export function setUpOwner(url: string): Promise<SessionCookie> {
  return sessionFrom(`${url}/set-up`, { ...OWNER, setup_code: ACCOUNTS.SETUP_CODE })
}

/** Begin a session of a person who has an account. */
export function signIn(url: string, { email, password }: typeof OWNER): Promise<SessionCookie> {
  return sessionFrom(`${url}/sign-in`, { email, password })
}

async function sessionFrom(address: string, body: unknown): Promise<SessionCookie> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const [, name, value] = SESSION_COOKIE.exec(response.headers.get('set-cookie') ?? '') ?? []
  if (name === undefined || value === undefined)
    throw new Error(`${address} answered ${response.status} without a session`)
  return { name, value }
}

/** What a call in this session carries. */
export function sessionHeaders(url: string, { name, value }: SessionCookie): Record<string, string> {
  return { cookie: `${name}=${value}`, origin: url }
}
