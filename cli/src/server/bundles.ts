import { nearest } from '@keyferry/contract/nearest'
import { PRODUCTION } from '@keyferry/contract/production'
import { CliError, EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { list, number, object, oneOf, optional, or, orNull, string, time, truth } from '../base/shape.ts'
import { callLibrary, type Library, openLibrary, workspacesOf } from './library-call.ts'
import { isOnThisMachine } from './server-address.ts'

const MARKS = object({ expired: number, due: number })

/** A bundle in an answer. `marks`: null where the server does not say. */
const listedBundle = object({
  id: string,
  name: string,
  keyCount: number,
  tags: or(string, ''),
  production: or(oneOf(...PRODUCTION), PRODUCTION[0]),
  marks: optional(MARKS, null),
})
/** `lastAtMs`: the last fetch; null: none, or the server does not say. */
export type ListedBundle = ReturnType<typeof listedBundle> & { readonly lastAtMs?: number | null }

/** One name that a bundle delivers. No value. `id`: of the key behind it; null for an inline item. */
export const listedName = object({
  id: orNull(string),
  name: string,
  isSecret: truth,
  required: or(truth, false),
})
type ListedName = ReturnType<typeof listedName>

/** What `ls` shows: the names of a bundle, or bundles. */
export type BundleLists = { readonly names: readonly ListedName[]; readonly bundles: readonly ListedBundle[] }

/** The bundles that the caller may see, by name.
 * @param query `{ facts: '1' }`: also what is due
 * @throws CliError as `callLibrary` */
export async function listBundles(at: Library, query = {}): Promise<readonly ListedBundle[]> {
  return await callLibrary(at, { name: 'listBundles', query, shape: list(listedBundle) })
}

const USES = list(object({ id: string, lastAt: time }))

/** As `listBundles`, with what is due and when values were last fetched, where the server says that. */
export async function listBundleFacts(at: Library): Promise<readonly ListedBundle[]> {
  const bundles = await listBundles(at, { facts: '1' })
  if (bundles.every(({ marks }) => marks === null)) return bundles // an older server, or a machine asks
  const uses = await callLibrary(at, { name: 'listUse', query: { days: 1 }, shape: USES })
  const times = new Map(uses.map(({ id, lastAt }) => [id, lastAt]))
  return bundles.map((bundle) => ({ ...bundle, lastAtMs: times.get(bundle.id) ?? null }))
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
export async function listNames(at: Library, { id }: ListedBundle): Promise<readonly ListedName[]> {
  const shape = object({ items: list(listedName) })
  const { items } = await callLibrary(at, { name: 'getBundle', params: { bundle_id: id }, shape })
  return items
}

/** The key behind a name of a bundle.
 * @throws CliError usage: no such name, or an inline item without a key · as `callLibrary` */
export async function keyNamed(at: Library, bundle: ListedBundle, name: string): Promise<string> {
  const found = (await listNames(at, bundle)).find((each) => each.name === name)
  if (found === undefined)
    throw usageError(
      `${bundle.name} does not deliver ${name}`,
      `keyferry ls ${bundle.name} lists its variables.`,
    )
  if (found.id !== null) return found.id
  throw usageError(
    `${printable(name)} is an old item of the bundle`,
    'Convert the items on the web page first.',
  )
}

type Asked = {
  readonly server: string
  readonly workspace: string | null
  readonly bundle: string | null
  readonly keys: readonly string[]
  readonly optionalKeys: readonly string[]
}

/** Refuse a workspace, a bundle or keys that a server without accounts does not have. Any other server tells this
 * client nothing about them, and the approver sees whether they exist.
 * @throws CliError usage: there is none; with the nearest name */
export async function requireKnownBundle(asked: Asked, parts: Parts): Promise<void> {
  const { server, workspace, bundle } = asked
  if (!isOnThisMachine(server) || (bundle === null && workspace === null)) return
  try {
    const library = await openLibrary({ server, workspace }, parts)
    if (bundle === null) return
    const bundles = await listBundles(library)
    const found = bundles.find(({ id, name }) => id === bundle || name === bundle)
    if (found !== undefined) await requireKnownKeys(library, found, asked)
    else bundleNamed([...bundles, ...(workspace === null ? await bundlesElsewhere(library) : [])], bundle)
  } catch (error) {
    // A refusal: people sign in there.
    if (!(error instanceof CliError) || error.exitCode === EXIT.usage) throw error
  }
}

async function requireKnownKeys(
  library: Library,
  bundle: ListedBundle,
  { keys, optionalKeys }: Asked,
): Promise<void> {
  const wanted = keys.filter((name) => !optionalKeys.includes(name))
  if (wanted.length === 0) return
  const names = (await listNames(library, bundle)).map(({ name }) => name)
  const missing = wanted.find((name) => !names.includes(name))
  if (missing === undefined) return
  const guess = nearest(missing, names)
  throw usageError(
    `${printable(bundle.name)} does not deliver ${missing}`,
    guess === null ? `keyferry ls ${bundle.name} lists its variables.` : `Did you mean ${printable(guess)}?`,
  )
}

async function bundlesElsewhere(library: Library): Promise<ListedBundle[]> {
  const workspaces = await workspacesOf(library)
  const lists = workspaces.map((workspace) => listBundles({ ...library, workspace }))
  return (await Promise.all(lists)).flat()
}
