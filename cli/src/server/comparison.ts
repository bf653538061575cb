import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import { isObject } from '../ground/json-object.ts'
import { nearest } from '../ground/nearest.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { listBundles } from './bundles.ts'
import { callLibrary, type Library, unknownAnswer } from './library-call.ts'

const STATES = ['shared', 'own', 'missing'] as const

/** How one bundle delivers a name. */
type ComparedCell = {
  readonly bundleName: string
  readonly state: (typeof STATES)[number]
  /** The key behind the name; null if the bundle lacks the name or has a value without a key. */
  readonly keyId: string | null
}

/** One name, with a cell for each bundle in the order given. */
export type ComparedRow = { readonly name: string; readonly cells: readonly ComparedCell[] }

type Call = { readonly library: Library; readonly parts: Parts }

/** The names that bundles deliver, side by side. No values.
 * @throws CliError usage: a bundle does not exist · refused, network: as `callLibrary` */
export async function compareBundles(call: Call, bundleNames: readonly string[]): Promise<ComparedRow[]> {
  const ids = await idsOf(call, bundleNames)
  const query = `?${new URLSearchParams(ids.map((id): [string, string] => ['bundle_id', id])).toString()}`
  const answer = await callLibrary(call, { method: 'GET', path: '/api/v1/compare', query })
  const { rows } = isObject(answer) ? answer : {}
  if (!Array.isArray(rows)) throw unknownAnswer()
  return rows.map((row) => readRow(row, bundleNames))
}

async function idsOf(call: Call, bundleNames: readonly string[]): Promise<string[]> {
  const idByName = new Map((await listBundles(call)).map(({ name, id }) => [name, id]))
  return bundleNames.map((name) => {
    const id = idByName.get(name)
    if (id === undefined)
      throw noBundle(name, {
        call,
        model: bundleNames.find((other) => idByName.has(other)),
        known: [...idByName.keys()],
      })
    return id
  })
}

type Missing = {
  readonly call: Call
  /** A bundle of the same command that exists. */
  readonly model: string | undefined
  readonly known: readonly string[]
}

function noBundle(name: string, { call, model, known }: Missing): CliError {
  const guess = nearest(name, known)
  const advice = model === undefined ? CHECK_NAME : duplicateAdvice(call.library, { model, name })
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

function readRow(row: unknown, bundleNames: readonly string[]): ComparedRow {
  const { name, cells } = isObject(row) ? row : {}
  if (typeof name !== 'string' || !Array.isArray(cells)) throw unknownAnswer()
  return {
    name: printable(name),
    cells: bundleNames.map((bundleName, index) => ({ bundleName, ...readCell(cells[index]) })),
  }
}

function readCell(cell: unknown): Omit<ComparedCell, 'bundleName'> {
  const { state, key_id } = isObject(cell) ? cell : {}
  const known = STATES.find((each) => each === state)
  if (known === undefined || (key_id !== null && typeof key_id !== 'string')) throw unknownAnswer()
  return { state: known, keyId: key_id }
}
