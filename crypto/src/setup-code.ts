import { hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RootKey } from './root-key.ts'

const CODE_BYTES = 10
const GROUP = /.{5}/g

/** The code that protects the first set-up. All nodes that share a root key derive the same one, also after a restart.
 * @returns 20 hex digits, `xxxxx-xxxxx-xxxxx-xxxxx` */
export function setupCode(rootKey: RootKey): string {
  const bytes = hkdfSync('sha256', rootKey.bytes, '', 'keyferry set-up code v1', CODE_BYTES)
  return Buffer.from(bytes).toString('hex').match(GROUP)?.join('-') ?? ''
}

/** Compares in constant time; blanks around what a person typed do not count. */
export function isSetupCode(typed: string, code: string): boolean {
  return timingSafeEqual(digest(typed.trim()), digest(code))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
