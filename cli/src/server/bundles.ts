import { usageError } from '../ground/cli-error.ts'
import { isObject } from '../ground/json-object.ts'
import { nearest } from '../ground/nearest.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { callLibrary, type Library, unknownAnswer } from './library-call.ts'

export type ListedBundle = {
  readonly id: string
  readonly name: string
  readonly tenantId: string
  readonly keyCount: number
}

/** One name that a bundle delivers. No value. */
export type ListedName = {
  readonly name: string
  /** The key behind it; null for an inline item. */
  readonly keyId: string | null
  readonly isSecret: boolean
  readonly isRequired: boolean
}

type Call = { readonly library: Library; readonly parts: Parts }

/** The bundles that the caller may see, by name.
 * @throws CliError as `callLibrary` */
export async function listBundles(call: Call): Promise<ListedBundle[]> {
  const answer = await callLibrary(call, { method: 'GET', path: '/api/v1/bundles' })
  if (!Array.isArray(answer)) throw unknownAnswer()
  return answer.map(readBundle)
}

/** One of the bundles, by name or id.
 * @throws CliError usage: there is none; with the nearest name */
export function bundleNamed(bundles: readonly ListedBundle[], text: string): ListedBundle {
  const found = bundles.find(({ name, id }) => name === text || id === text)
  if (found !== undefined) return found
  const guess = nearest(
    text,
    bundles.map(({ name }) => name),
  )
  throw usageError(
    `the bundle ${printable(text, 80)} does not exist`,
    guess === null ? 'keyferry ls lists all bundles.' : `Did you mean ${printable(guess)}?`,
  )
}

/** What a bundle delivers, in its order.
 * @throws CliError as `callLibrary` */
export async function listNames(call: Call, { id }: ListedBundle): Promise<ListedName[]> {
  const answer = await callLibrary(call, { method: 'GET', path: `/api/v1/bundles/${id}` })
  const { items } = isObject(answer) ? answer : {}
  if (!Array.isArray(items)) throw unknownAnswer()
  return items.map(readName)
}

/** Take a name from a bundle. Its key stays in the library.
 * @throws CliError usage: an inline item, which has no key · as `callLibrary` */
export async function detachName(
  call: Call,
  bundle: ListedBundle,
  { name, keyId }: ListedName,
): Promise<void> {
  if (keyId === null) {
    throw usageError(
      `${printable(name)} is an inline item of the bundle`,
      'Convert the items on the web page first.',
    )
  }
  await callLibrary(call, { method: 'DELETE', path: `/api/v1/bundles/${bundle.id}/keys/${keyId}` })
}

function readBundle(entry: unknown): ListedBundle {
  const { id, name, tenant_id: tenantId, key_count: keyCount } = isObject(entry) ? entry : {}
  if (typeof id !== 'string' || typeof name !== 'string') throw unknownAnswer()
  if (typeof tenantId !== 'string' || typeof keyCount !== 'number') throw unknownAnswer()
  return { id, name, tenantId, keyCount }
}

function readName(entry: unknown): ListedName {
  const { id, name, is_secret: isSecret, required: isRequired } = isObject(entry) ? entry : {}
  if (typeof name !== 'string' || typeof isSecret !== 'boolean') throw unknownAnswer()
  return { name, keyId: typeof id === 'string' ? id : null, isSecret, isRequired: isRequired === true }
}
