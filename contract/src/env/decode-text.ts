import { EnvError } from './env-error.ts'

/** The text of a file, byte for byte: a byte order mark stays.
 * @throws EnvError it is not UTF-8 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new EnvError(`it is not UTF-8 text${looksLikeUtf16(bytes) ? ' but UTF-16' : ''}`, { cause })
  }
}

function looksLikeUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
