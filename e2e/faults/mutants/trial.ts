import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../documents.ts'
import { type Change, changed } from './changes.ts'
import type { Copy, Tested } from './copy.ts'
import { NearestTests, type Place, STORY } from './nearest.ts'
import { bodiesOf, type Recording } from './recording.ts'

const TESTS = '{api,cli,contract,crypto,plumbing,server,web,e2e}/**/*.test.{ts,tsx}'
const LIMIT_MS = 30 * 60_000
const TEST_LIMIT_MS = 120_000
const AROUND = 800
const POSTGRES = /postgres/

/** What `noticedBy` answers for a change that does not compile: it is no fault that anyone could hand in. */
export const TYPES = 'it does not compile'

const HANGS = 'hangs'
const OF_THE_RUN = ['the build', HANGS]

const failedIn = (tested: readonly Tested[] | null) =>
  tested === null ? [HANGS] : tested.filter(({ isPassed }) => !isPassed).map(({ file }) => file)

/** A change of a file of the product. */
export type Mutant = Change & { readonly file: string }

/** The files of these patterns with their texts. */
export function textsOf(
  patterns: readonly string[],
  isWanted: (file: string) => boolean,
): Map<string, string> {
  const files = globSync(patterns, { cwd: ROOT }).filter(isWanted).toSorted()
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
}

// Some tests read their cases from a folder of the same name.
function testTexts(): Map<string, string> {
  const tests = textsOf([TESTS], (file) => !file.includes('node_modules'))
  const cases = (file: string) => textsOf([`${file.replace(/\.test\.tsx?$/, '')}/*.txt`], () => true)
  return new Map([...tests].map(([file, text]) => [file, [text, ...cases(file).values()].join('\n')]))
}

/** Makes mutants in a copy, and runs the nearest tests. */
export class Trial {
  readonly #copy: Copy
  readonly #sources: ReadonlyMap<string, string>
  readonly #nearest: NearestTests
  readonly #firsts: Recording['firsts']
  readonly #sound: Set<string>

  constructor(copy: Copy, sources: ReadonlyMap<string, string>, recording: Recording) {
    this.#copy = copy
    this.#sources = sources
    this.#nearest = new NearestTests(testTexts(), recording)
    this.#firsts = recording.firsts
    this.#sound = new Set(recording.tested.filter(({ isPassed }) => isPassed).map(({ file }) => file))
  }

  /** @returns what noticed it, `TYPES` if it does not compile, or null. What is known to survive gets no third round. */
  async noticedBy(mutant: Mutant, isKnown: boolean): Promise<string | null> {
    const source = this.#sources.get(mutant.file) ?? ''
    const [near, far, rest] = this.#nearest.of(this.#placeOf(mutant, source))
    const noticed = (await this.#noticedIn(mutant, near)) ?? (await this.#noticedIn(mutant, far))
    if (noticed !== null || isKnown) return noticed
    if (!(await this.#with(mutant, async () => await this.#copy.compiles(mutant.file)))) return TYPES
    return await this.#noticedIn(mutant, rest, 'all')
  }

  async #with<T>(mutant: Mutant, act: () => Promise<T>): Promise<T> {
    const source = this.#sources.get(mutant.file) ?? ''
    this.#copy.write(mutant.file, changed(source, mutant))
    try {
      return await act()
    } finally {
      this.#copy.write(mutant.file, source)
    }
  }

  async #noticedIn(mutant: Mutant, files: readonly string[], databases?: 'all'): Promise<string | null> {
    const of = databases ?? (POSTGRES.test(mutant.file) ? 'all' : 'sqlite')
    const failedOf = async (these: readonly string[]) =>
      await this.#with(mutant, async () => failedIn(await this.#run(these, of)))
    // The first failure ends a run. If it says nothing, the others run without it.
    for (let left = files; left.length > 0; ) {
      const failed = await failedOf(left)
      const first = await this.#firstSound(failed)
      // A test that fails now and then says nothing either.
      if (first !== undefined && (!left.includes(first) || (await failedOf([first])).length > 0)) return first
      if (failed.length === 0) return null
      left = left.filter((file) => !failed.includes(file))
    }
    return null
  }

  // A test that also fails without the mutant says nothing about it.
  async #firstSound(failed: readonly string[]): Promise<string | undefined> {
    const isSound = (file: string) => OF_THE_RUN.includes(file) || this.#sound.has(file)
    const [first] = failed
    if (first === undefined || failed.some(isSound)) return failed.find(isSound)
    if (failedIn(await this.#run([first], 'all')).length > 0) return undefined
    this.#sound.add(first)
    return first
  }

  async #run(files: readonly string[], databases: 'sqlite' | 'all') {
    const mode = databases === 'all' || files.some((file) => STORY.test(file)) ? 'mutants' : 'fast'
    const limits = ['--testTimeout', '--hookTimeout'].flatMap((limit) => [limit, String(TEST_LIMIT_MS)])
    return await this.#copy.test([...files, '--bail', '1', '--mode', mode, ...limits], LIMIT_MS, databases)
  }

  #placeOf({ file, start, before }: Mutant, source: string): Place {
    const end = start + before.length
    const bodies = bodiesOf(file, source, this.#firsts)
    const around = bodies.filter((body) => body.start <= start && end <= body.end)
    const [outer, inner] = [around[0], around.at(-1)]
    const [from, to] = outer ? [outer.start, outer.end] : [Math.max(0, start - AROUND), end + AROUND]
    return { file, text: source.slice(from, to), id: inner?.id ?? null }
  }
}
