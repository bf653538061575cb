import { type ApiEndpointName, KeyName } from '@keyferry/contract'
import type { CallParts } from './api.ts'

/*
 * A way to run the tests of the interface with every attachment renamed: each key has another name in the library than
 * its test gives it, and each bundle delivers it under the name that the test expects. A test that speaks the interface
 * alone passes as before.
 */

const PREFIX = 'RENAMED9_'
let isOn = false
const nameOfKey = new Map<string, string>()

/** From now on, keys of this test file are renamed. */
export function renameAttachments(): void {
  isOn = true
}

/** From now on, nothing is renamed. */
export function stopRenaming(): void {
  isOn = false
}

/** The call as it goes out. */
export function renamedCall(name: ApiEndpointName, parts: CallParts): CallParts {
  if (!isOn || !isObject(parts.body ?? {})) return parts
  const body = { ...(isObject(parts.body) ? parts.body : {}) }
  if (name === 'createKey' && typeof body['name'] === 'string') {
    const renamed = KeyName.safeParse(`${PREFIX}${body['name']}`)
    return renamed.success ? { ...parts, body: { ...body, name: renamed.data } } : parts
  }
  const as = nameOfKey.get(parts.params?.['key_id'] ?? '')
  if (name !== 'attachKey' || as === undefined) return parts
  return { ...parts, body: { as, ...body } }
}

/** The answer as the test may read it. */
export function renamedAnswer(name: ApiEndpointName, { body }: CallParts, text: string): string {
  if (!isOn) return text
  const plain = text.replaceAll(PREFIX, '')
  if (name !== 'createKey' || !isObject(body)) return plain
  const made: unknown = JSON.parse(plain)
  if (isObject(made) && typeof made['id'] === 'string') nameOfKey.set(made['id'], String(made['name']))
  return plain
}

/** How many keys were renamed. */
export function renamedKeys(): number {
  return nameOfKey.size
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
