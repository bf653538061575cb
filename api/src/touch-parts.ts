import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { createTouchNonce, createTouchToken, touchTokenFits } from '@keyferry/crypto/touch'
import { passkeyAddress } from '@keyferry/plumbing/passkey-address'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import type { TouchAddress, TouchParts, TouchTokens } from './domain/people/touch.ts'
import type { ApiSettings } from './settings.ts'

type TouchSources = Pick<TouchParts, 'clock' | 'takeTouch'> & {
  stores: Pick<TouchParts, 'approvalKeys' | 'lastingActs' | 'touchUses' | 'events'>
  ring: RootKeyRing
  settings: ApiSettings
}

/** What asks for touches and checks them. */
export function touchPartsOf({ stores, ring, settings, clock, takeTouch }: TouchSources): TouchParts {
  const { approvalKeys, lastingActs, touchUses, events } = stores
  const own = { approvalKeys, lastingActs, touchUses, events, clock, takeTouch }
  return { ...own, address: touchAddress(settings), tokens: touchTokens(ring, clock) }
}

/** Tokens of touches, made with the root key, which only the API has. */
function touchTokens(ring: RootKeyRing, clock: ClockAndIds): TouchTokens {
  return {
    create(statementOf) {
      const nonce = createTouchNonce(clock.now().getTime())
      const leaf = { nonce, statement: statementOf(nonce) }
      return { ...leaf, token: createTouchToken(leaf, ring.first) }
    },
    fit: (token, statement) => touchTokenFits(token, statement, ring),
  }
}

/** Where signing keys work. A server of one person on their own computer has none: every program of that person could
 * call its API. */
export function touchAddress({ authMode, publicUrl }: ApiSettings): TouchAddress | null {
  return authMode === 'local' || publicUrl === null ? null : passkeyAddress(publicUrl)
}
