import { MASK } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'

/** The values that a read fetches and decrypts; every other value is null.
 * `none`: no value · `public`: values that are not secret · `all`: every value · a set of names: their values, secret
 * or not. The store builds its query from it, so a blob that is not wanted never leaves the database. */
export type WantedValues = 'none' | 'public' | 'all' | ReadonlySet<string>

/** The text that an answer shows for a value: the mask where the value was not read. */
export function maskedText(value: Plaintext | null): string {
  return value === null ? MASK : value.reveal()
}
