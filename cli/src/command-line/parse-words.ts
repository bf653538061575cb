import { parseArgs } from 'node:util'
import { nearest } from '@keyferry/contract/nearest'
import { usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, type CommandFlag, flagOf, Words } from './command.ts'

const HELP_FLAG: CommandFlag = flagOf('-h, --help', 'Show this help')

/** Parse the words of a command by its table of flags.
 * @throws CliError usage */
export function parseWords(command: Command, args: readonly string[]): Words {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const rest = end === -1 ? null : args.slice(end + 1)
  const flags = new Map<string, string[]>()
  const operands: string[] = []
  for (const token of tokensOf(own, allFlags(command))) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind === 'option') addFlag(command, flags, token)
  }
  if (!flags.has('help')) requireShape(command, operands, rest)
  return new Words({ operands, program: rest, line: [command.name, ...args], flags })
}

/** Whether a machine reads the output. Decided before the words are parsed, so that a machine gets JSON for an invalid
 * command line too. */
export function isForMachines(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}

/** Who reads the progress of a command with these words.
 * @throws CliError usage: both --json and --quiet */
export function viewOf(words: Words): Parts['view'] {
  if (words.has('json') && words.has('quiet')) {
    throw usageError('--json and --quiet cannot be combined', 'Give only one of them.')
  }
  if (words.has('json')) return 'json'
  return words.has('quiet') ? 'quiet' : 'person'
}

export function allFlags(command: Command): readonly CommandFlag[] {
  return [...command.flags, HELP_FLAG]
}

function tokensOf(args: readonly string[], flags: readonly CommandFlag[]) {
  const options = Object.fromEntries(
    flags.map(({ name, short, value, valueIfBare }) => [
      name,
      {
        type: value === undefined || valueIfBare !== undefined ? ('boolean' as const) : ('string' as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  )
  return parseArgs({ args: [...args], options, strict: false, tokens: true }).tokens
}

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: 'option' }>

function addFlag(command: Command, flags: Map<string, string[]>, token: OptionToken): void {
  const flag = allFlags(command).find(({ name }) => name === token.name)
  if (flag === undefined) throw unknownFlag(command, token.rawName)
  const given = flags.get(flag.name)
  if (given !== undefined && flag.repeats !== true) {
    throw usageError(`${token.rawName} is given twice`, 'Give it only once.')
  }
  flags.set(flag.name, [...(given ?? []), flagValue(flag, token)])
}

function flagValue(flag: CommandFlag, { rawName, value, inlineValue }: OptionToken): string {
  if (flag.value === undefined) {
    if (inlineValue !== true) return ''
    throw usageError(`${rawName} takes no value`, `Write ${rawName} without a value.`)
  }
  if (flag.valueIfBare !== undefined && inlineValue !== true) return flag.valueIfBare
  const looksLikeFlag = inlineValue !== true && value !== undefined && /^-./.test(value)
  if (value === undefined || looksLikeFlag) {
    throw usageError(`${rawName} needs a value`, `Write ${rawName} ${flag.value}.`)
  }
  return value
}

function unknownFlag(command: Command, rawName: string): Error {
  const known = allFlags(command).map(({ name }) => `--${name}`)
  const guess = nearest(rawName, known)
  return usageError(
    `unknown flag ${printable(rawName, 60)} for ${command.name}`,
    guess === null ? `Run keyferry ${command.name} --help for a list.` : `Did you mean ${guess}?`,
  )
}

function requireShape(command: Command, operands: readonly string[], rest: readonly string[] | null): void {
  if (command.takesProgram === true) requireProgram(command, operands, rest)
  else if (rest !== null && rest.length > 0) {
    throw usageError(`${command.name} takes no program after --`, `See keyferry ${command.name} --help.`)
  }
  const most = command.maxOperands ?? command.operands?.split(' ').length ?? 0
  if (operands.length > most) {
    const extra = operands[most] ?? ''
    throw usageError(
      `${command.name} does not accept another argument: ${printable(extra, 60)}`,
      `See keyferry ${command.name} --help.`,
    )
  }
}

function requireProgram(command: Command, operands: readonly string[], rest: readonly string[] | null): void {
  if (rest !== null && rest.length > 0) return
  const [bundle, ...program] = operands
  const example =
    bundle === undefined || program.length === 0
      ? 'dev/app -- npm start'
      : `${bundle} -- ${program.join(' ')}`
  throw usageError(
    `${command.name} needs a program after --`,
    `For example: keyferry ${command.name} ${printable(example, 100)}`,
  )
}
