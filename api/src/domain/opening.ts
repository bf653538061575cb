import { MASK } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'

/** Which stored values are decrypted; all others stay closed and are null. */
export type Opening = (entry: { name: string; is_secret: boolean }) => boolean

/** What an ordinary answer shows: everything but secrets. */
export const SHOWN: Opening = ({ is_secret }) => !is_secret

export const ALL: Opening = () => true

export const NONE: Opening = () => false

/** The text that stands for a value in an answer. */
export function maskedText(value: Plaintext | null): string {
  return value === null ? MASK : value.reveal()
}
