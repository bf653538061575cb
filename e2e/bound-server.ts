import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { type RunningServer, startServer } from './start-server.ts'

/** Start a server with accounts where approvals must return to the terminal. It has a library, and `cookie` is its
 * owner's. */
export async function startBoundServer(): Promise<{ server: RunningServer; cookie: SessionCookie }> {
  const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'bound' }
  const server = await startServer({ env })
  const cookie = await setUpOwner(server.url)
  await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
  return { server, cookie }
}
