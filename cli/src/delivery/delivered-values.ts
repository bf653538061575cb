import { isKeyName } from '@keyferry/contract/env/names'
import type { KeyPair } from '@keyferry/crypto/key-pair'
import { CliError, refusedAnswer } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import { parseObject } from '../ground/json-object.ts'
import type { Values } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { Delivery, Named } from '../server/wait-answer.ts'
import { openBox } from './open-box.ts'
import type { ValuesRequest } from './values-request.ts'

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

// The approver decides what to deliver. The program gets it only if it is what was requested here.

type Requested = Pick<ValuesRequest, 'bundle' | 'workspace' | 'acceptsAnyBundle'>

/** Whether the delivery comes from the requested bundle and workspace. An older server does not name them; then this
 * cannot be checked.
 * @throws CliError refused */
export function requireRequestedBundle({ bundle, workspace }: Delivery, requested: Requested): void {
  if (requested.acceptsAnyBundle) return
  if (isOther(bundle, requested.bundle)) throw otherThanRequested('bundle', bundle, requested.bundle)
  if (isOther(workspace, requested.workspace)) {
    throw otherThanRequested('workspace', workspace, requested.workspace)
  }
}

/** Whether every requested key was delivered, except the optional ones.
 * @throws CliError refused, naming each missing key */
export function requireRequestedKeys(
  values: Values,
  { keys, optionalKeys }: Pick<ValuesRequest, 'keys' | 'optionalKeys'>,
): void {
  const missing = keys.filter((name) => !values.has(name) && !optionalKeys.includes(name))
  if (missing.length === 0) return
  throw new CliError(
    EXIT.refused,
    `requested but not delivered: ${missing.join(', ')}`,
    `Nothing was started and the values were dropped. Approve these keys too, or add --optional ${missing.join(',')}.`,
  )
}

function isOther(delivered: Named | null, requested: string | null): delivered is Named {
  if (delivered === null || requested === null) return false
  return delivered.name !== requested && delivered.id !== requested.toLowerCase()
}

function otherThanRequested(kind: string, { name }: Named, requested: string | null): CliError {
  return new CliError(
    EXIT.refused,
    `the approver chose the ${kind} ${printable(name, 80)}, but ${requested} was requested`,
    'Nothing was started and the values were dropped. Run the command again, or accept any bundle with --any-bundle.',
  )
}
