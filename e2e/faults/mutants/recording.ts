import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../documents.ts'
import { parseChanges } from './changes.ts'
import type { Copy, Tested } from './copy.ts'

const CACHE = join(ROOT, 'node_modules/.cache/keyferry-mutants.json')
const LIMIT_MS = 30 * 60_000
const SETUP = 'test/setup.ts'
const RECORDED_RUNS = [
  ['--mode', 'fast'],
  ['--mode', 'e2e', 'cli/test', 'server/test', 'e2e/app-'],
]

/** A function of the product: where its body is, and its number in the recording. */
export type Body = { readonly start: number; readonly end: number; readonly id: number }

/** Which functions each test file calls, whether it passes, and how long it takes. */
export type Recording = {
  readonly hash: string
  readonly ran: Readonly<Record<string, readonly number[]>>
  readonly tested: readonly Tested[]
}

/** Number the functions of all files. */
export function numberBodies(sources: ReadonlyMap<string, string>): Map<string, Body[]> {
  let id = 0
  return new Map(
    [...sources].map(([file, source]) => [
      file,
      parseChanges(file, source).bodies.map((body) => ({ ...body, id: id++ })),
    ]),
  )
}

/** Run the tests once, and record which functions of the product each test file calls. A recording of the same product
 * is used again. */
export async function recordTests(copy: Copy, sources: ReadonlyMap<string, string>): Promise<Recording> {
  const hash = createHash('sha256')
    .update([...sources.values()].join())
    .digest('hex')
  const kept: Recording | null = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : null
  if (kept?.hash === hash) return kept
  const folder = join(copy.folder, 'ran')
  mkdirSync(folder)
  for (const [file, bodies] of numberBodies(sources)) copy.write(file, recorded(copy.read(file), bodies))
  const setup = copy.read(SETUP)
  const call = `import { record } from '../e2e/faults/mutants/recorder.ts'\nrecord('${folder}')\n`
  copy.write(SETUP, setup + call)
  const tested: Tested[] = []
  for (const words of RECORDED_RUNS) tested.push(...((await copy.test(words, LIMIT_MS)) ?? []))
  for (const [file, source] of sources) copy.write(file, source)
  copy.write(SETUP, setup)
  const ran = Object.fromEntries(
    readdirSync(folder).map((name) => [nameOf(name, copy), idsOf(join(folder, name))]),
  )
  const recording = { hash, ran, tested }
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
