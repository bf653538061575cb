import type { ExchangeAnswer } from '../base/exchange.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { parseObject } from '../base/shape.ts'
import { callEndpoint } from './endpoint-call.ts'
import { isOnThisMachine } from './server-address.ts'

const TIMEOUT_MS = 10_000

/** What a server says about itself. */
export type ServerFacts = Awaited<ReturnType<typeof serverFacts>>

/** Ask a server for its version, sign-in mode and time.
 * @throws NoAnswer */
export async function serverFacts(server: string, { exchange, clock }: Pick<Parts, 'exchange' | 'clock'>) {
  const startedMs = clock.monotonicMs()
  const health = await callEndpoint({ server, exchange }, 'getHealth', { timeoutMs: TIMEOUT_MS })
  const roundTripMs = clock.monotonicMs() - startedMs
  const session = await callEndpoint({ server, exchange }, 'getSession', { timeoutMs: TIMEOUT_MS })
  return {
    /** Null: not a Keyferry server. */
    version: text(health, 'version'),
    /** How people sign in there; null if it does not say. */
    authMode: text(session, 'auth_mode'),
    /** How far its clock is ahead of ours, in whole seconds; null if it sends no time. */
    clockAheadSeconds: clockAhead(health, clock.epochMs() - roundTripMs / 2),
    roundTripMs: Math.round(roundTripMs),
  }
}

function text(answer: ExchangeAnswer, field: string): string | null {
  const value = answer.status === 200 ? parseObject(answer.body)?.[field] : undefined
  return typeof value === 'string' ? printable(value, 40) : null
}

// The Date header has whole seconds, so a difference of one second is no difference.
function clockAhead({ dateMs }: ExchangeAnswer, nowMs: number): number | null {
  if (dateMs === null) return null
  const seconds = Math.round((dateMs + 500 - nowMs) / 1000)
  return Math.abs(seconds) <= 1 ? 0 : seconds
}

/** How two clocks differ, in words. */
export function clockText(aheadSeconds: number | null): string {
  if (aheadSeconds === null) return 'the server sends no time'
  if (aheadSeconds === 0) return 'same as this machine'
  return `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} this machine`
}

/** Whether the library of this server is the caller's own without a sign-in. Only a server on this machine can be: one
 * elsewhere that says so would get the values in the clear.
 * @throws CliError network */
export async function isOwnLibrary(server: string, { exchange }: Pick<Parts, 'exchange'>): Promise<boolean> {
  if (!isOnThisMachine(server)) return false
  const answer = await callEndpoint({ server, exchange }, 'getSession', { timeoutMs: TIMEOUT_MS })
  return parseObject(answer.body)?.['auth_mode'] === 'local'
}
