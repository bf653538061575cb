import { CLAIMS, type ClaimedMeta, LIMITS } from '@keyferry/contract'
import type { z } from 'zod'
import type { RequesterMeta } from './approval-store.ts'

/** What the server itself saw of who asks. */
export type SeenFacts = Pick<RequesterMeta, 'ip' | 'user_agent' | 'requested_at' | 'format'>

/** Facts and claims side by side. Only known claims are kept and none is a fact's name, so that no client can pass a
 * claim for something the server saw. */
export function requesterMeta(claimed: z.output<typeof ClaimedMeta>, seen: SeenFacts): RequesterMeta {
  const claims = CLAIMS.flatMap((name) => {
    const value = claimed[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(claims), ...seen, user_agent: shown(seen.user_agent) }
}

// A header is the client's word too, but every client sends one, some of them odd: where a claim is refused, what cannot
// be kept of it leaves a mark in its place.
function shown(userAgent: string): string {
  const text = userAgent.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')
  return text.length <= LIMITS.metaValueLength ? text : `${text.slice(0, LIMITS.metaValueLength - 1)}…`
}
