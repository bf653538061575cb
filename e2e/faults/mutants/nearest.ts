import type { Recording } from './recording.ts'

/** Where a change is: its file, the text around it, and the number of the function that it is in. */
export type Place = { readonly file: string; readonly text: string; readonly id: number | null }

const NEAR_MS = 15_000
const FAR_MS = 120_000
const REST_MS = 5 * 60_000
const UNKNOWN_MS = 5_000
const [NEAR_FILES, FAR_FILES] = [8, 30]

// Of a function that all tests call, these say which tests are about it.
const WEIGHT_OF_PATH = 4

/** Tests that start programs. */
export const STORY = /^(e2e|release|server\/test|cli\/test)\//

/** The stories of each room. Not all of them are recorded. */
const STORIES: Readonly<Record<string, RegExp>> = {
  cli: /^(cli\/test\/|e2e\/(?!app-)[^/]*$)/,
  server: /^server\/test\//,
  web: /^e2e\/app-/,
}

/** Ranks test files by how near they are to a place in the product. */
export class NearestTests {
  readonly #words: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly #frequency = new Map<string, number>()
  readonly #ran: ReadonlyMap<string, ReadonlySet<number>>
  readonly #ms: ReadonlyMap<string, number>

  /** @param tests the text of each test file */
  constructor(tests: ReadonlyMap<string, string>, { ran, tested }: Recording) {
    this.#words = new Map([...tests].map(([file, text]) => [file, wordsOf(file, text)]))
    this.#ran = new Map(Object.entries(ran).map(([file, ids]) => [file, new Set(ids)]))
    this.#ms = new Map(tested.map(({ file, ms }) => [file, ms]))
    for (const words of this.#words.values())
      for (const word of words.keys()) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1)
  }

  /** @returns three rounds of test files: each is for what the rounds before did not notice. The first has no stories if
   * other tests call the function: they are quick. The last has the others that call the function. */
  of(place: Place): [near: string[], far: string[], rest: string[]] {
    const files = this.#bySimilarity(place)
    const own = files.filter((file) => withoutEnd(file) === withoutEnd(place.file))
    const { id } = place
    const ran = id === null ? [] : files.filter((file) => this.#ran.get(file)?.has(id) ?? !STORY.test(file))
    const narrow = ran.toSorted((a, b) => this.#sizeOf(a) - this.#sizeOf(b))
    const stories = files.filter((file) => STORIES[place.file.split('/')[0] ?? '']?.test(file))
    const likely = ran.length > 0 ? alternating(ran, narrow) : alternating(files, stories)
    const ranked = [...new Set([...own, ...likely, ...stories])]
    const quick = ranked.slice(0, own.length + likely.length).filter((file) => !STORY.test(file))
    const near = this.#within(NEAR_MS, quick.length > 0 ? quick : ranked).slice(0, NEAR_FILES)
    const others = ranked.filter((file) => !near.includes(file))
    const far = this.#within(FAR_MS, others).slice(0, FAR_FILES)
    const rest = others.filter((file) => !far.includes(file))
    return [near, far, this.#within(REST_MS, rest)]
  }

  #within(budgetMs: number, files: readonly string[]): string[] {
    let left = budgetMs
    return files.filter((file, index) => {
      const ms = this.#ms.get(file) ?? UNKNOWN_MS
      if (ms > left && index > 0) return false
      left -= ms
      return true
    })
  }

  #sizeOf(file: string): number {
    return this.#ran.get(file)?.size ?? Number.POSITIVE_INFINITY
  }

  // The cosine of the rare words that both have.
  #bySimilarity({ file, text }: Place): string[] {
    const words = wordsOf(file, text)
    const similarity = (other: ReadonlyMap<string, number>) => {
      const weigh = (of: ReadonlyMap<string, number>, word: string) => {
        const rarity = Math.log((1 + this.#words.size) / (1 + (this.#frequency.get(word) ?? 0)))
        return Math.log1p(of.get(word) ?? 0) * rarity
      }
      const dot = [...words.keys()].reduce((sum, word) => sum + weigh(words, word) * weigh(other, word), 0)
      return dot / Math.hypot(...[...other.keys()].map((word) => weigh(other, word)))
    }
    const ranks = [...this.#words].map(([test, other]) => ({ test, rank: similarity(other) }))
    return ranks.toSorted((a, b) => b.rank - a.rank).map(({ test }) => test)
  }
}

/** The words of names and sentences, `ownerOf` being two, and how often each occurs. */
function wordsOf(file: string, text: string): Map<string, number> {
  const all = `${`${file} `.repeat(WEIGHT_OF_PATH)}${text}`
  const words = all.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}/g) ?? []
  return new Map(
    [...Map.groupBy(words, (word) => word.toLowerCase())].map(([word, { length }]) => [word, length]),
  )
}

const withoutEnd = (file: string) => file.replace(/(\.test)?\.tsx?$/, '')

const alternating = (one: readonly string[], other: readonly string[]) =>
  one.flatMap((file, index) => [file, ...other.slice(index, index + 1)])
