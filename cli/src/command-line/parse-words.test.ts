import { expect, test } from 'vitest'
import { EXIT } from '../base/cli-error.ts'
import { type Command, flagOf } from './command.ts'
import { isForMachines, parseWords, viewOf } from './parse-words.ts'

const FLAGS = [
  flagOf('-k, --keys LIST...', 'x'),
  flagOf('--server ADDRESS', 'x'),
  { ...flagOf('--redact WHEN', 'x'), valueIfBare: 'always' },
  flagOf('-q, --quiet', 'x'),
  flagOf('--json', 'x'),
]
const command = ({ operands = 'BUNDLE', ...change }: Partial<Command> = {}): Command => ({
  name: 'show',
  operands,
  summary: 'x',
  details: [],
  flags: FLAGS,
  examples: {},
  run: async () => 0,
  ...change,
})
const RUN = command({ name: 'run', takesProgram: true })

test('flags are read only before --', () => {
  const words = parseWords(RUN, ['-k', 'A', '--keys=B', 'dev/app', '--redact', '--', 'npm', '--json'])
  expect([words.operands, words.program]).toEqual([['dev/app'], ['npm', '--json']])
  expect([words.text('redact'), words.has('json'), words.has('redact')]).toEqual(['always', false, true])
  expect(parseWords(command(), ['--redact=never']).text('redact')).toBe('never')
  expect(parseWords(command(), ['--server=-x']).text('server')).toBe('-x')
  expect(parseWords(command(), ['--server', '-']).text('server')).toBe('-')
})

test.each<[string, Command, string[], string, string]>([
  ['an unknown flag', command(), ['--serve', 'x'], 'unknown flag --serve for show', 'Did you mean --server?'],
  [
    'an unknown flag that resembles no other',
    command(),
    ['--xyzzy'],
    'unknown flag --xyzzy for show',
    'Run keyferry show --help for a list.',
  ],
  ['a flag twice', command(), ['-q', '--quiet'], '--quiet is given twice', 'Give it only once.'],
  [
    'a flag with a value',
    command(),
    ['--quiet=1'],
    '--quiet takes no value',
    'Write --quiet without a value.',
  ],
  ['a flag without its value', command(), ['--server'], '--server needs a value', 'Write --server ADDRESS.'],
  [
    'a flag in place of a value',
    command(),
    ['--server', '-q'],
    '--server needs a value',
    'Write --server ADDRESS.',
  ],
  [
    'a program for a command that runs none',
    command(),
    ['--', 'x'],
    'show takes no program after --',
    'See keyferry show --help.',
  ],
  [
    'an operand too many',
    command(),
    ['a', 'b'],
    'show does not accept another argument: b',
    'See keyferry show --help.',
  ],
  [
    'nothing after --',
    RUN,
    ['--'],
    'run needs a program after --',
    'For example: keyferry run dev/app -- npm start',
  ],
  [
    'a program without --',
    RUN,
    ['b', 'x', 'y'],
    'run needs a program after --',
    'For example: keyferry run b -- x y',
  ],
])('%s is refused', (_, of, args, message, next) => {
  expect(() => parseWords(of, args)).toThrow(expect.objectContaining({ exitCode: EXIT.usage, message, next }))
})

test('a command takes as many operands as it declares', () => {
  expect(parseWords(command({ operands: 'A [B]' }), ['a', 'b']).operands).toEqual(['a', 'b'])
  expect(parseWords(command({ maxOperands: 3 }), ['a', 'b', 'c']).operands).toHaveLength(3)
  expect(parseWords(command(), ['--']).program).toEqual([])
})

test('--help works with any other words', () => {
  for (const flag of ['-h', '--help']) expect(parseWords(RUN, [flag, 'a', 'b', 'c']).has('help')).toBe(true)
})

const view = (...args: string[]) => viewOf(parseWords(command(), args))

test('--quiet and --json change how progress is printed', () => {
  expect([view(), view('-q'), view('--json')]).toEqual(['person', 'quiet', 'json'])
  expect(() => view('-q', '--json')).toThrow('--json and --quiet cannot be combined')
  expect([['--json'], ['--', '--json'], []].map(isForMachines)).toEqual([true, false, false])
})

test('flags give texts and names, and can be written again', () => {
  const words = parseWords(RUN, ['-k', 'B, A,', '--keys', 'A,C', '--server', 'x', '-q', '--', 'npm'])
  expect(words.names('keys')).toEqual(['B', 'A', 'C'])
  expect([words.names('server'), words.names('json'), words.text('json')]).toEqual([['x'], [], null])
  expect(words.flagsBut(new Set(['server']))).toEqual(['--keys=A,C', '--keys=B, A,', '--quiet='])
  expect(words.line).toEqual(['run', '-k', 'B, A,', '--keys', 'A,C', '--server', 'x', '-q', '--', 'npm'])
  expect(words.withOperands(['dev/app']).operands).toEqual(['dev/app'])
})

test('a flag is declared as its help shows it', () => {
  expect(flagOf('-k, --keys LIST...', 'names', 'CI')).toEqual({
    name: 'keys',
    short: 'k',
    value: 'LIST',
    repeats: true,
    summary: 'names',
    group: 'CI',
  })
  expect(flagOf('--json', 'x')).toEqual({ name: 'json', summary: 'x' })
})
