import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../documents.ts'
import { parseChanges } from './changes.ts'
import type { Copy, Tested } from './copy.ts'

const CACHE = join(ROOT, 'node_modules/.cache/keyferry-mutants.json')
const LIMIT_MS = 90 * 60_000
const SETUP = 'test/setup.ts'

/** A function of the product: where its body is, and its number in the recording; null: it is not recorded. */
export type Body = { readonly start: number; readonly end: number; readonly id: number | null }

/** Which functions each test file calls, whether it passes, and how long it takes. `firsts`: the number of the first
 * function of each file of the product, as the file was. */
export type Recording = {
  readonly firsts: Readonly<Record<string, { readonly hash: string; readonly first: number }>>
  readonly ran: Readonly<Record<string, readonly number[]>>
  readonly tested: readonly Tested[]
}

type Sources = ReadonlyMap<string, string>

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

function numberFiles(sources: Sources): Recording['firsts'] {
  let next = 0
  return Object.fromEntries(
    [...sources].map(([file, source]) => {
      const first = next
      next += parseChanges(file, source).bodies.length
      return [file, { hash: hashOf(source), first }]
    }),
  )
}

/** The functions of a file, with their numbers if the file is as it was. */
export function bodiesOf(file: string, source: string, firsts: Recording['firsts']): Body[] {
  const known = firsts[file]
  const first = known?.hash === hashOf(source) ? known.first : null
  return parseChanges(file, source).bodies.map((body, n) => ({
    ...body,
    id: first === null ? null : first + n,
  }))
}

/** Run the fast tests once, and record which functions of the product each test file calls. The others start programs,
 * in which nothing is recorded. A recording is used again until `isFresh` asks for a new one. */
export async function recordTests(copy: Copy, sources: Sources, isFresh: boolean): Promise<Recording> {
  if (!isFresh && existsSync(CACHE)) return JSON.parse(readFileSync(CACHE, 'utf8'))
  const firsts = numberFiles(sources)
  const folder = join(copy.folder, 'ran')
  mkdirSync(folder)
  for (const [file, source] of sources) copy.write(file, recorded(source, bodiesOf(file, source, firsts)))
  const setup = copy.read(SETUP)
  const call = `import { record } from '../e2e/faults/mutants/recorder.ts'\nrecord('${folder}')\n`
  copy.write(SETUP, setup + call)
  const tested = (await copy.test(['--mode', 'fast'], LIMIT_MS)) ?? []
  for (const [file, source] of sources) copy.write(file, source)
  copy.write(SETUP, setup)
  const ran = Object.fromEntries(
    readdirSync(folder).map((name) => [nameOf(name, copy), idsOf(join(folder, name))]),
  )
  const recording = { firsts, ran, tested }
  mkdirSync(join(CACHE, '..'), { recursive: true })
  writeFileSync(CACHE, JSON.stringify(recording))
  return recording
}

const nameOf = (name: string, copy: Copy) => decodeURIComponent(name).slice(copy.folder.length + 1)

const idsOf = (file: string) => [...new Set(readFileSync(file, 'utf8').trim().split('\n').map(Number))]

/** A source of which each function first says that it is called. */
function recorded(source: string, bodies: readonly Body[]): string {
  const parts = bodies.flatMap(({ start, end, id }) => {
    const call = `globalThis.__ran?.(${id})`
    if (source[start] === '{') return [{ at: start + 1, text: `${call};` }]
    return [
      { at: start, text: `(${call},` },
      { at: end, text: ')' },
    ]
  })
  const last = parts.toSorted((a, b) => b.at - a.at)
  return last.reduce((text, part) => text.slice(0, part.at) + part.text + text.slice(part.at), source)
}
