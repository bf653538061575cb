import { type EndParts, type Ends, endApproval } from '../approvals/ending.ts'

/** End the records of requests that expired, on whichever node sweeps first. What a client has not claimed by then was
 * never delivered. An approval that never returned to its terminal raises an alarm. */
export async function endExpired(parts: EndParts<Ends>): Promise<void> {
  const nowMs = parts.clock.now().getTime()
  const some = () =>
    parts.together(async (own) => {
      const expired = await own.requests.takeExpired(nowMs)
      for (const stored of expired) await endApproval(own, parts, { stored, reason: 'expired', origin: null })
      return expired.length
    })
  while ((await some()) > 0);
}
