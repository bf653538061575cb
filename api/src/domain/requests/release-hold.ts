import { type Release, type ReleaseWay, TIMES } from '@keyferry/contract'
import { createReleaseCode, createReleaseSecret, releaseHash } from '@keyferry/crypto/release'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import type { Hold, StoredRequest } from './stored-request.ts'

/** A secret for the approver's page, and what the store keeps of it. */
export function newHold(
  clock: ClockAndIds,
  { request, expiresAtMs }: Pick<StoredRequest, 'request' | 'expiresAtMs'>,
  by: ReleaseWay,
): { hold: Hold; release: z.output<typeof Release> } {
  const nowMs = clock.now().getTime()
  const seconds = by === 'loopback' ? TIMES.loopbackReleaseSeconds : TIMES.codeReleaseSeconds
  const untilMs = Math.min(nowMs + seconds * 1_000, expiresAtMs)
  const secret = by === 'loopback' ? createReleaseSecret() : createReleaseCode()
  const expires_in = Math.floor((untilMs - nowMs) / 1_000)
  return {
    hold: { by, hash: releaseHash(request.id, { by, secret }), untilMs },
    release: by === 'loopback' ? { by, secret, expires_in } : { by, code: secret, expires_in },
  }
}
