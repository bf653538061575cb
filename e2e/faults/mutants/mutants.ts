import known from '../known-survivors.json' with { type: 'json' }
import type { Verdict } from '../verdict.ts'
import { parseChanges } from './changes.ts'
import { Copy } from './copy.ts'
import { draw } from './draw.ts'
import { recordTests } from './recording.ts'
import { type Mutant, Trial, TYPES, textsOf } from './trial.ts'

const ROOMS = [
  'api/src',
  'cli/src',
  'contract/src',
  'crypto/src',
  'plumbing/src',
  'server/src',
  'web/server',
  'web/app',
]
const NOT_PRODUCT = /\.(test|contract|d)\.tsx?$|\/(dist|test)\//
const NOTICED = 0.9

const SHOWN = 70

/** `isFresh`: record again which test calls what. `only`: parts of the names of files; empty: all that are drawn. */
type Drawing = { count: number; seed: number; isFresh: boolean; only: readonly string[] }

type Sources = ReadonlyMap<string, string>

/** Change the product in places that a seed draws, one after the other, and run the nearest tests.
 * @returns a verdict on each change that no test noticed, and their share */
export async function* testMutants({ count, seed, isFresh, only }: Drawing): AsyncGenerator<Verdict> {
  const sources = textsOf(
    ROOMS.map((room) => `${room}/**/*.{ts,tsx}`),
    (file) => !NOT_PRODUCT.test(file),
  )
  using copy = new Copy()
  for (const room of ['api', 'web/app'])
    if (!(await copy.compiles(room))) throw new Error(`${room} does not compile without a change either`)
  const recording = await recordTests(copy, sources, isFresh)
  const trial = new Trial(copy, sources, recording)
  const all = draw(
    ROOMS.map((room) => roomOf(room, sources)),
    { count, seed },
  )
  const drawn = all.filter(({ file }) => only.length === 0 || only.some((part) => file.includes(part)))
  const sums: Sums = { noticed: 0, uncompiled: 0, known: 0, survived: 0 }
  for (const mutant of drawn) {
    const ofKnown = isKnown(mutant, sources)
    const seen = await trial.noticedBy(mutant, ofKnown)
    process.stderr.write(`${describe(mutant, sources)}: ${seen ?? 'NOT NOTICED'}\n`)
    if (seen === TYPES) sums.uncompiled++
    else if (seen !== null) sums.noticed++
    else if (ofKnown) sums.known++
    else {
      sums.survived++
      yield { what: describe(mutant, sources), seen: 'no test noticed', isWell: false }
    }
  }
  yield { what: `${drawn.length} mutants, seed ${seed}`, ...verdictOf(sums) }
}

type Sums = { noticed: number; uncompiled: number; known: number; survived: number }

// What does not compile counts neither way.
function verdictOf({ noticed, uncompiled, known: ofKnown, survived }: Sums): Omit<Verdict, 'what'> {
  const share = noticed / Math.max(1, noticed + survived)
  const others = `${uncompiled} do not compile, ${ofKnown} known survivors`
  return {
    seen: `${noticed} noticed by tests, ${survived} not noticed, ${others}: ${Math.round(share * 100)} %`,
    isWell: share >= NOTICED,
  }
}

function roomOf(room: string, sources: Sources) {
  const files = [...sources].filter(([file]) => file.startsWith(`${room}/`))
  return {
    lines: files.reduce((sum, [, text]) => sum + text.split('\n').length, 0),
    changes: files.flatMap(([file, text]): Mutant[] =>
      parseChanges(file, text).changes.map((change) => ({ file, ...change })),
    ),
  }
}

const shown = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN) || 'nothing'

const changeOf = ({ before, after }: Mutant) => `${shown(before)} → ${shown(after)}`

function linesOf({ file, start, before }: Mutant, sources: Sources): { number: number; text: string } {
  const source = sources.get(file) ?? ''
  // An entry of a list can begin with the end of the line before.
  const at = start + before.search(/[^\s,]|$/)
  const number = source.slice(0, at).split('\n').length
  return { number, text: source.split('\n')[number - 1]?.trim() ?? '' }
}

function describe(mutant: Mutant, sources: Sources): string {
  const { number, text } = linesOf(mutant, sources)
  return `${mutant.file}:${number} (${mutant.kind}) ${changeOf(mutant)} in \`${text}\``
}

function isKnown(mutant: Mutant, sources: Sources): boolean {
  const { text } = linesOf(mutant, sources)
  return known.some(
    ({ file, line, change }) => file === mutant.file && line === text && change === changeOf(mutant),
  )
}
