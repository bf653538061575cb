import { createHmac } from 'node:crypto'
import { frame } from './frame.ts'

/** A digest of a command. Two commands that have the same masked form have different digests.
 * @param seed 32 bytes that only this terminal has, so that an attacker cannot guess an argument and check it
 * @returns base64url, 43 characters · @throws CryptoError bad_text: a lone surrogate */
export function maskedCommandDigest(argv: readonly string[], seed: Uint8Array): string {
  return createHmac('sha256', seed)
    .update(frame('keyferry masked command v1', ...argv))
    .digest('base64url')
}
