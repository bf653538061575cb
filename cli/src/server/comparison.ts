import { nearest } from '@keyferry/contract/nearest'
import { type CliError, usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'
import { type ListedBundle, listBundles, listNames } from './bundles.ts'
import type { Library } from './library-call.ts'

/** How one bundle delivers a name. `keyId`: the key behind it; null if the bundle lacks the name or has a value
 * without a key. */
type ComparedCell = {
  readonly bundleName: string
  readonly state: 'shared' | 'own' | 'missing'
  readonly keyId: string | null
}

/** One name, with a cell for each bundle in the order given. */
export type ComparedRow = { readonly name: string; readonly cells: readonly ComparedCell[] }

/** The bundles, and the variables that they deliver, side by side. No values.
 * @throws CliError usage: a bundle does not exist · refused, network: as `callLibrary` */
export async function compareBundles(
  library: Library,
  bundleNames: readonly string[],
): Promise<{ bundles: readonly ListedBundle[]; rows: readonly ComparedRow[] }> {
  const bundles = await bundlesNamed(library, bundleNames)
  const keys = await Promise.all(bundles.map(async (bundle) => keysByName(await listNames(library, bundle))))
  const names = [...new Set(keys.flatMap((byName) => [...byName.keys()]))].toSorted()
  const rows = names.map((name) => ({
    name: printable(name),
    cells: bundleNames.map((bundleName, index) => ({ bundleName, ...cellOf(name, index, keys) })),
  }))
  return { bundles, rows }
}

type KeysByName = ReadonlyMap<string, string | null>

// An attached key hides an inline item of its name.
function keysByName(names: Awaited<ReturnType<typeof listNames>>): KeysByName {
  return new Map(
    names.toSorted((a, b) => Number(a.id !== null) - Number(b.id !== null)).map(({ name, id }) => [name, id]),
  )
}

function cellOf(name: string, index: number, keys: readonly KeysByName[]): Omit<ComparedCell, 'bundleName'> {
  const keyId = keys[index]?.get(name)
  if (keyId === undefined) return { state: 'missing', keyId: null }
  const isShared =
    keyId !== null && keys.some((byName, other) => other !== index && byName.get(name) === keyId)
  return { state: isShared ? 'shared' : 'own', keyId }
}

async function bundlesNamed(library: Library, bundleNames: readonly string[]): Promise<ListedBundle[]> {
  const byName = new Map((await listBundles(library, { facts: '1' })).map((bundle) => [bundle.name, bundle]))
  return bundleNames.map((name) => {
    const bundle = byName.get(name)
    if (bundle !== undefined) return bundle
    const model = bundleNames.find((other) => byName.has(other))
    throw noBundle(name, library, { guess: nearest(name, [...byName.keys()]), model })
  })
}

/** `guess`: the nearest name; `model`: a bundle of the same command that exists. */
type Near = { readonly guess: string | null; readonly model: string | undefined }

function noBundle(name: string, library: Library, { guess, model }: Near): CliError {
  if (library.token !== undefined) return usageError(`this machine cannot read ${printable(name)}`, READABLE)
  const advice = model === undefined ? CHECK_NAME : duplicateAdvice(library, { model, name })
  const next = guess === null ? advice : `Did you mean ${printable(guess)}?`
  return usageError(`the bundle ${printable(name)} does not exist`, next)
}

const READABLE =
  'keyferry ls lists the bundles that it can read. An owner can add one on the page of the machine.'
const CHECK_NAME = 'Check the name, and the workspace in keyferry.json. The web page lists all bundles.'

function duplicateAdvice(
  { server, workspace }: Library,
  { model, name }: { model: string; name: string },
): string {
  const page = workspace === null ? '/bundles' : `/w/${workspace.id}/bundles`
  return `To create it as a copy of ${model}, open ${server}${page}?duplicate=${model}&as=${name}`
}
