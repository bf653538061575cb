import { setTimeout as sleep } from 'node:timers/promises'
import type { SignedClient } from '../e2e/signed-client.ts'
import type { Library } from './library.ts'
import type { Asked, Ended } from './open-waits.ts'

/** A wait under way. */
export type Waiting = { readonly asked: Asked; readonly ended: Promise<Ended> }

const PAUSE_MS = 5

/** Approve what is waited for, one after another with a pause between, as people do.
 * @returns for each, milliseconds from sending the approval until the waiter had the whole answer */
export async function deliveryTimes(
  waiting: readonly Waiting[],
  { approver, library }: { approver: SignedClient; library: Library },
): Promise<number[]> {
  const times: number[] = []
  for (const { asked, ended } of waiting) {
    const sentAt = performance.now()
    await approver.call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
      params: { request_id: asked.id },
      body: { bundle_id: library.bundleId, include_keys: [...library.names] },
    })
    times.push((await ended).atMs - sentAt)
    await sleep(PAUSE_MS)
  }
  return times
}
