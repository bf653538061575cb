import { type Address, type CallName, createClient, createNamedClient } from '@keyferry/contract/client'
import { noteServerTime } from './server-clock.ts'
import { pageWorkspace } from './workspace.ts'

const TIMEOUT_MS = 20_000

async function fetchTimed(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...init,
    headers: withWorkspace(init?.headers),
  })
  noteServerTime(response.headers.get('date'))
  return response
}

// The header that the contract calls WORKSPACE_HEADER; imported, it would bring the contract's schemas to the browser.
const WORKSPACE_HEADER = 'keyferry-workspace'

function withWorkspace(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given)
  const workspace = pageWorkspace()
  if (workspace !== null && !headers.has(WORKSPACE_HEADER)) headers.set(WORKSPACE_HEADER, workspace)
  return headers
}

/** Calls the interface on the server that served this page, for the page's workspace. */
export const call = createClient('', fetchTimed)

/** The same by the endpoint's name, for the endpoints of one page or of the app. */
export function callsOf<Names extends CallName>(addresses: { readonly [N in Names]: Address<N> }) {
  return createNamedClient(addresses, fetchTimed)
}
