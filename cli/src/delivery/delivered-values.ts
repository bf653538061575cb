import { isKeyName } from '@keyferry/contract/env/names'
import { decodeBase64 } from '@keyferry/crypto/base64'
import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { refusedAnswer } from '../ground/cli-error.ts'
import { parseObject } from '../ground/json-object.ts'
import type { Values } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'

/** Open the sealed box and check what is in it, before anything is done with it.
 * @param keys the names that were asked for; empty: any
 * @throws CliError refused: not a sealed box to this key, not a map of strings, names nobody asked for, names or values
 *   that no environment holds */
export function openDelivery(ciphertextBase64: string, keyPair: KeyPair, keys: readonly string[]): Values {
  const values = readValues(openBox(ciphertextBase64, keyPair))
  requireAskedFor(values, keys)
  return values
}

function openBox(ciphertextBase64: string, keyPair: KeyPair): string {
  let bytes: Uint8Array | undefined
  try {
    bytes = open(decodeBase64(ciphertextBase64), keyPair)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw refusedAnswer('what the server delivered does not open with the key of this request', { cause })
  } finally {
    if (bytes !== undefined) wipe(bytes)
  }
}

function readValues(plaintext: string): Values {
  const map = parseObject(plaintext)
  if (map === null) throw refusedAnswer('what the server delivered is not a map of names to values')
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(map)) {
    if (!isKeyName(name)) {
      throw refusedAnswer(`the server delivered a name that no variable can have: ${printable(name, 80)}`)
    }
    values.set(name, readValue(name, value))
  }
  return values
}

function readValue(name: string, value: unknown): string {
  if (typeof value !== 'string') throw refusedAnswer(`the value of ${name} is not a text`)
  if (value.includes('\0') || !value.isWellFormed()) {
    throw refusedAnswer(`the value of ${name} holds what no environment variable can (NUL or broken Unicode)`)
  }
  return value
}

function requireAskedFor(values: Values, keys: readonly string[]): void {
  if (keys.length === 0) return
  const unasked = [...values.keys()].filter((name) => !keys.includes(name))
  if (unasked.length > 0)
    throw refusedAnswer(`the server delivered names nobody asked for: ${unasked.join(', ')}`)
}
