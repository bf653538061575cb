import { INVITATION_HEADER, invitationIn } from '@keyferry/contract/invitation-path'
import { PERSON_HEADER, pagePerson } from './person.ts'
import { noteServerTime } from './server-clock.ts'
import { pageWorkspace, WORKSPACE_HEADER } from './workspace.ts'

const TIMEOUT_MS = 20_000

/** Fetch from the server that served this page, for the page's person and workspace. It gives up after 20 s. */
export async function fetchTimed(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...init,
    headers: withPage(init?.headers),
  })
  noteServerTime(response.headers.get('date'))
  return response
}

function withPage(given: HeadersInit | undefined): Headers {
  const headers = new Headers(given)
  const workspace = pageWorkspace()
  const person = pagePerson()
  if (person !== null) headers.set(PERSON_HEADER, person)
  if (workspace !== null && !headers.has(WORKSPACE_HEADER)) headers.set(WORKSPACE_HEADER, workspace)
  const invitation = invitationIn(location.pathname)
  if (invitation !== null) headers.set(INVITATION_HEADER, invitation)
  return headers
}
