import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { createTouchNonce, createTouchToken, touchTokenFits } from '@keyferry/crypto/touch'
import { passkeyAddress } from '@keyferry/plumbing/passkey-address'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import type { TouchAddress, TouchTokens } from './domain/people/touch.ts'
import type { ApiSettings } from './settings.ts'

/** Tokens of touches, made with the root key, which only the API has. */
export function touchTokens(ring: RootKeyRing, clock: ClockAndIds): TouchTokens {
  return {
    create(statementOf) {
      const nonce = createTouchNonce(clock.now().getTime())
      const leaf = { nonce, statement: statementOf(nonce) }
      return { ...leaf, token: createTouchToken(leaf, ring.first) }
    },
    fit: (token, statement) => touchTokenFits(token, statement, ring),
  }
}

/** Where approval keys work. A server of one person on their own computer has none: every program of that person could
 * call its API. */
export function touchAddress({ authMode, publicUrl }: ApiSettings): TouchAddress | null {
  return authMode === 'local' || publicUrl === null ? null : passkeyAddress(publicUrl)
}
