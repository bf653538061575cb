import { CliError, EXIT } from '../base/cli-error.ts'
import { nearest } from '../base/nearest.ts'
import { printable } from '../base/printable.ts'
import { list, nullable, object, oneOf, string } from '../base/shape.ts'
import { listBundles } from './bundles.ts'
import { callLibrary, type Library } from './library-call.ts'

/** How one bundle delivers a name. `keyId`: the key behind it; null if the bundle lacks the name or has a value
 * without a key. */
const CELL = object({ state: oneOf('shared', 'own', 'missing'), keyId: nullable(string) })
type ComparedCell = ReturnType<typeof CELL> & { readonly bundleName: string }

/** One name, with a cell for each bundle in the order given. */
export type ComparedRow = { readonly name: string; readonly cells: readonly ComparedCell[] }

/** The names that bundles deliver, side by side. No values.
 * @throws CliError usage: a bundle does not exist · refused, network: as `callLibrary` */
export async function compareBundles(
  library: Library,
  bundleNames: readonly string[],
): Promise<ComparedRow[]> {
  const ids = await idsOf(library, bundleNames)
  const { rows } = await callLibrary(library, {
    name: 'compareBundles',
    query: { bundle_id: ids },
    shape: object({ rows: list(object({ name: string, cells: list(CELL) })) }),
  })
  return rows.map(({ name, cells }) => ({ name: printable(name), cells: inOrder(cells, bundleNames) }))
}

function inOrder(cells: readonly ReturnType<typeof CELL>[], bundleNames: readonly string[]): ComparedCell[] {
  return bundleNames.map((bundleName, index) => {
    return { bundleName, ...(cells[index] ?? { state: 'missing', keyId: null }) }
  })
}

async function idsOf(library: Library, bundleNames: readonly string[]): Promise<string[]> {
  const idByName = new Map((await listBundles(library)).map(({ name, id }) => [name, id]))
  return bundleNames.map((name) => {
    const id = idByName.get(name)
    if (id === undefined)
      throw noBundle(name, {
        library,
        model: bundleNames.find((other) => idByName.has(other)),
        known: [...idByName.keys()],
      })
    return id
  })
}

type Missing = {
  readonly library: Library
  /** A bundle of the same command that exists. */
  readonly model: string | undefined
  readonly known: readonly string[]
}

function noBundle(name: string, { library, model, known }: Missing): CliError {
  const guess = nearest(name, known)
  const advice = model === undefined ? CHECK_NAME : duplicateAdvice(library, { model, name })
  const next = guess === null ? advice : `Did you mean ${printable(guess)}?`
  return new CliError(EXIT.usage, `the bundle ${printable(name)} does not exist`, next)
}

const CHECK_NAME = 'Check the name, and the workspace in keyferry.json. The web page lists all bundles.'

function duplicateAdvice(
  { server, workspace }: Library,
  { model, name }: { model: string; name: string },
): string {
  const page = workspace === null ? '/bundles' : `/w/${workspace.id}/bundles`
  return `To create it as a copy of ${model}, open ${server}${page}?duplicate=${model}&as=${name}`
}
