import { isUtf8 } from 'node:buffer'
import { hash, timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'
import { CryptoError } from './crypto-error.ts'

const SHOWN = '[plaintext]'

/** A value in the clear that neither prints, logs, serialises nor clones by accident.
 * Only `reveal()` gives the text, so every such place is easy to find. */
export class Plaintext {
  readonly #bytes: Uint8Array

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** @throws CryptoError bad_text: a lone surrogate, which UTF-8 cannot encode */
  static of(text: string): Plaintext {
    if (!text.isWellFormed()) throw new CryptoError('bad_text', 'text holds a lone surrogate')
    return new Plaintext(Buffer.from(text))
  }

  /** Takes `bytes` over without copying them: the caller must not change them later.
   * @throws CryptoError bad_text: not UTF-8 */
  static fromBytes(bytes: Uint8Array): Plaintext {
    if (!isUtf8(bytes)) throw new CryptoError('bad_text', 'bytes are not UTF-8')
    return new Plaintext(bytes)
  }

  /** The text, byte for byte: a leading byte order mark stays. */
  reveal(): string {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength).toString('utf8')
  }

  /** The UTF-8 bytes themselves, not a copy. */
  bytes(): Uint8Array {
    return this.#bytes
  }

  /** Whether both have the same bytes. The time it takes tells nothing about where they differ. */
  equals(other: Plaintext): boolean {
    return timingSafeEqual(hash('sha256', this.#bytes, 'buffer'), hash('sha256', other.#bytes, 'buffer'))
  }

  toString(): string {
    return SHOWN
  }

  toJSON(): string {
    return SHOWN
  }

  [inspect.custom](): string {
    return SHOWN
  }
}
