import { hash } from 'node:crypto'

/** A short form of a text, to see whether it changed: SHA-256 as 64 lower-case hex digits. It hides nothing that can be
 * guessed. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex')
}
