import { createClient } from '@keyferry/contract/client'
import { noteServerTime } from './server-clock.ts'

const TIMEOUT_MS = 20_000

async function fetchTimed(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init })
  noteServerTime(response.headers.get('date'))
  return response
}

/** Calls the interface on the server that served this page. */
export const call = createClient('', fetchTimed)
