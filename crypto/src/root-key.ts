import { randomBytes } from 'node:crypto'
import { decodeBase64Of } from './base64.ts'
import { CryptoError } from './crypto-error.ts'
import { keyId } from './derivation-key.ts'

const ROOT_KEY_BYTES = 32

/** A key that wraps tenant keys: 32 random bytes, and an id (16 lower-case hex digits) that does not reveal them. */
export type RootKey = { readonly id: string; readonly bytes: Uint8Array }

// The bytes are a getter over a private field, so that printing or serialising a root key shows its id alone.
class GuardedRootKey implements RootKey {
  readonly id: string
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.id = keyId(bytes)
    this.#bytes = bytes
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }
}

export function generateRootKey(): RootKey {
  return new GuardedRootKey(Uint8Array.from(randomBytes(ROOT_KEY_BYTES)))
}

/** Read a root key as a setting or key file contains it: base64 of 32 bytes; blanks around it do not count.
 * @throws CryptoError bad_root_key: not base64, not 32 bytes, or all bytes equal (a placeholder, not a key) */
export function parseRootKey(text: string): RootKey {
  const bytes = decodeBase64Of('root key', text.trim(), 'bad_root_key')
  if (bytes.length !== ROOT_KEY_BYTES) throw new CryptoError('bad_root_key', 'root key is not 32 bytes')
  if (bytes.every((byte) => byte === bytes[0]))
    throw new CryptoError('bad_root_key', 'root key is not random')
  return new GuardedRootKey(Uint8Array.from(bytes))
}

/** The text that `parseRootKey` reads: standard base64, 44 characters. */
export function formatRootKey(rootKey: RootKey): string {
  return Buffer.from(rootKey.bytes).toString('base64')
}

/** The root keys in use, in order: the first one wraps, all of them unwrap. So a root key is rotated by putting the
 * new one in front, wrapping each tenant key again, and then leaving the old one out. */
export class RootKeyRing {
  #keys: ReadonlyMap<string, RootKey> = new Map()
  #first: RootKey

  /** @throws CryptoError bad_root_key: no key at all */
  constructor(keys: readonly RootKey[]) {
    this.#first = this.replace(keys)
  }

  /** The one that wraps. */
  get first(): RootKey {
    return this.#first
  }

  /** @throws CryptoError bad_root_key: no key at all */
  replace(keys: readonly RootKey[]): RootKey {
    const [first] = keys
    if (!first) throw new CryptoError('bad_root_key', 'a ring needs at least one root key')
    this.#keys = new Map(keys.map((key) => [key.id, key]))
    this.#first = first
    return first
  }

  get keys(): readonly RootKey[] {
    return [...this.#keys.values()]
  }

  get ids(): readonly string[] {
    return [...this.#keys.keys()]
  }

  find(id: string): RootKey | undefined {
    return this.#keys.get(id)
  }
}
