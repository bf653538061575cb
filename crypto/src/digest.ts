import { hash } from 'node:crypto'

/** A short form of a text or a file, to see whether it changed: SHA-256 as 64 lower-case hex digits. It hides
 * nothing that can be guessed. */
export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}
