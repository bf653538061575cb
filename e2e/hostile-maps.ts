import * as fc from 'fast-check'

/** A map of names and values, in order, each name once. */
export type HostileMap = readonly (readonly [name: string, value: string])[]

const SHELL_CHARACTERS = Array.from('\'"`$\\!#=*~&;|<>()[]{}^%')
const BLANKS = [' ', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u00a0', '\u2028', '\ufeff']
const QUOTING = ["'\\''", "''", '""', '\\n', '\\\n', '\\\\', "\\'"]
const EXPANSIONS = [
  '$(touch run)',
  '`touch run`',
  '$HOME',
  '$'.concat('{HOME}'),
  '$$',
  '!!',
  '~root',
  '{a,b}',
  '=ls',
]
const LINES = ['export ', 'A=1', '\nA=1\n', '# x', ' # x', '\nEOF\n', '*****', '%s', '-n', '--']
const LETTERS = ['é', 'Á', '\u0081', '\u0088', '日本', '\u{1f511}', 'e\u0301', '\uffff', '0', 'x']
const UNSEEN = ['\u0001', '\u001b', '\u007f', '\u202e']
const FRAGMENTS = [SHELL_CHARACTERS, BLANKS, QUOTING, EXPANSIONS, LINES, LETTERS, UNSEEN].flat()

const fragments = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 8 }).map((parts) => parts.join(''))

/** Values that a shell, a parser or a terminal might take for something else. Without NUL and lone surrogates. */
export const hostileValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fragments },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')) },
  { weight: 1, arbitrary: fc.string() },
)

/** The prefix avoids names that a shell reserves (`UID`, `path`, `status` …). */
const name = fc.stringMatching(/^[A-Za-z0-9_]{0,8}$/).map((rest) => `K_${rest}`)

export const hostileMap: fc.Arbitrary<HostileMap> = fc.uniqueArray(fc.tuple(name, hostileValue), {
  selector: ([key]) => key,
  maxLength: 6,
})

// One run has some 250 maps, each of them a process or more.
const PROPERTY_RUNS_OF_ONE = 100

/** How often a property of many maps runs: `npm run faults -- properties` runs it longer. */
export const RUNS_OF_MANY_MAPS = Math.ceil(Number(process.env['PROPERTY_RUNS'] ?? 200) / PROPERTY_RUNS_OF_ONE)

/** Many maps at once, so that one process reads them all. */
export const hostileMaps: fc.Arbitrary<readonly HostileMap[]> = fc.array(hostileMap, {
  minLength: 1,
  maxLength: 500,
  size: 'max',
})
