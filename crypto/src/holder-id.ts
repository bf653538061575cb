import { hash } from 'node:crypto'
import { frame } from './frame.ts'

/** An id for a place that values are delivered to, made from what the place is known by: 64 lower-case hex digits. Each
 * part is framed, so no two different lists give the same id.
 * @throws CryptoError bad_text: a lone surrogate */
export function holderId(kind: 'person' | 'machine', ...parts: readonly string[]): string {
  return hash('sha256', frame('keyferry holder v1', kind, ...parts), 'hex')
}
