import { decodeBase64 } from '@keyferry/crypto/base64'
import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { refusedAnswer } from '../ground/cli-error.ts'

/** The text of a box that is sealed to the key of a request.
 * @throws CliError refused */
export function openBox(ciphertextBase64: string, keyPair: KeyPair): string {
  let bytes: Uint8Array | undefined
  try {
    bytes = open(decodeBase64(ciphertextBase64), keyPair)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw refusedAnswer('the delivery cannot be opened with the key of this request', { cause })
  } finally {
    if (bytes !== undefined) wipe(bytes)
  }
}
