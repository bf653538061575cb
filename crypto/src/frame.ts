import { CryptoError } from './crypto-error.ts'

const LENGTH_BYTES = 4

/** Join parts so that no two different lists give the same bytes: each part follows its own length (4 bytes,
 * big-endian). Text counts as UTF-8.
 * @throws CryptoError bad_text: a lone surrogate, which UTF-8 would silently replace */
export function frame(...parts: readonly (string | Uint8Array)[]): Buffer {
  const framed = Buffer.allocUnsafe(parts.reduce((size, part) => size + LENGTH_BYTES + byteLength(part), 0))
  let offset = 0
  for (const part of parts) offset = writePart(framed, part, offset)
  return framed
}

function byteLength(part: string | Uint8Array): number {
  if (typeof part !== 'string') return part.length
  if (!part.isWellFormed()) throw new CryptoError('bad_text', 'text holds a lone surrogate')
  return Buffer.byteLength(part)
}

function writePart(framed: Buffer, part: string | Uint8Array, offset: number): number {
  const start = offset + LENGTH_BYTES
  const length = typeof part === 'string' ? framed.write(part, start) : part.length
  if (typeof part !== 'string') framed.set(part, start)
  framed.writeUInt32BE(length, offset)
  return start + length
}
