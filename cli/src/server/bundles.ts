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
type ListedName = {
  readonly name: string
  /** The key behind it; null for an inline item. */
  readonly keyId: string | null
  readonly isSecret: boolean
  readonly isRequired: boolean
}

/** What `ls` shows: the names of a bundle, or bundles. */
export type Listed = {
  readonly names: readonly Omit<ListedName, 'keyId'>[]
  readonly bundles: readonly Omit<ListedBundle, 'tenantId'>[]
}

type Call = { readonly library: Library; readonly parts: Parts }

/** The bundles that the caller may see, by name.
 * @throws CliError as `callLibrary` */
export async function listBundles(call: Call): Promise<ListedBundle[]> {
  const answer = await callLibrary(call, { method: 'GET', path: '/api/v1/bundles' })
  if (!Array.isArray(answer)) throw unknownAnswer()
  return answer.map((entry) => ({ ...readBundle(entry), tenantId: readText(entry, 'tenant_id') }))
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
  return items.map((entry) => ({ ...readName(entry), keyId: readId(entry) }))
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

/** @throws CliError refused */
export function readBundle(entry: unknown): Omit<ListedBundle, 'tenantId'> {
  const { key_count: keyCount } = isObject(entry) ? entry : {}
  if (typeof keyCount !== 'number') throw unknownAnswer()
  return { id: readText(entry, 'id'), name: readText(entry, 'name'), keyCount }
}

/** @throws CliError refused */
export function readName(entry: unknown): Omit<ListedName, 'keyId'> {
  const { is_secret: isSecret, required: isRequired } = isObject(entry) ? entry : {}
  if (typeof isSecret !== 'boolean') throw unknownAnswer()
  return { name: readText(entry, 'name'), isSecret, isRequired: isRequired === true }
}

function readText(entry: unknown, field: string): string {
  const text = isObject(entry) ? entry[field] : undefined
  if (typeof text !== 'string') throw unknownAnswer()
  return text
}

function readId(entry: unknown): string | null {
  const id = isObject(entry) ? entry['id'] : undefined
  return typeof id === 'string' ? id : null
}
