import type { KeyPair } from '@keyferry/crypto/key-pair'

/** The key that clients seal deposits to. `createdAt`: ISO timestamp. */
export type DepositKey = { kid: string; pair: KeyPair; createdAt: string }

export interface DepositKeyStore {
  newest(): Promise<DepositKey>
  /** Null for a key that is unknown, or older than the one before the newest. */
  find(kid: string): Promise<DepositKey | null>
}
