import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { Opening } from './opening.ts'

/** An inline pair of a bundle, from before there was a library. */
export type LegacyItem = { name: string; value: Plaintext | null; is_secret: boolean }

export interface LegacyItemStore {
  /** By name, byte by byte. */
  list(tenantId: string, bundleId: string, opening: Opening): Promise<LegacyItem[]>
}
