import { isKeyName } from '@keyferry/contract/env/names'
import type { KeyPair } from '@keyferry/crypto/key-pair'
import { refusedAnswer } from '../ground/cli-error.ts'
import { parseObject } from '../ground/json-object.ts'
import type { Values } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { openBox } from './open-box.ts'

/** What a client was given. */
export type Delivered = {
  readonly values: Values
  /** Under which the server keeps the record of the delivery; null if it does not say. */
  readonly deliveryId: string | null
}

/** Open the sealed box and check its content before it is used.
 * @param keys the requested names; empty: any
 * @throws CliError refused: not a sealed box for this key, not a map of strings, names that were not requested, names or
 *   values that an environment cannot hold */
export function openDelivery(ciphertextBase64: string, keyPair: KeyPair, keys: readonly string[]): Values {
  const values = readValues(openBox(ciphertextBase64, keyPair))
  requireAskedFor(values, keys)
  return values
}

function readValues(plaintext: string): Values {
  const map = parseObject(plaintext)
  if (map === null) throw refusedAnswer('the delivery is not a map of names to values')
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(map)) {
    if (!isKeyName(name)) {
      throw refusedAnswer(`the delivery has an invalid variable name: ${printable(name, 80)}`)
    }
    values.set(name, readValue(name, value))
  }
  return values
}

function readValue(name: string, value: unknown): string {
  if (typeof value !== 'string') throw refusedAnswer(`the value of ${name} is not a string`)
  if (value.includes('\0') || !value.isWellFormed()) {
    throw refusedAnswer(
      `the value of ${name} contains NUL or invalid Unicode, which an environment variable cannot hold`,
    )
  }
  return value
}

function requireAskedFor(values: Values, keys: readonly string[]): void {
  if (keys.length === 0) return
  const unasked = [...values.keys()].filter((name) => !keys.includes(name))
  if (unasked.length > 0)
    throw refusedAnswer(`the delivery has names that were not requested: ${unasked.join(', ')}`)
}
