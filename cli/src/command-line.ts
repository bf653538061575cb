import { CliError, usageError } from './cli-error.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { EXIT } from './exit-code.ts'
import { nearest } from './nearest.ts'
import { isForMachines, parseWords } from './parse-words.ts'
import type { Surroundings } from './surroundings.ts'
import { printable } from './terminal/printable.ts'
import { VERSION } from './version.ts'

// Words that are no commands of their own, and have no help of their own.
const PLAIN_WORDS = ['help', 'version']
const VERSION_WORDS = ['version', '--version', '-V', '-v']

/** Follow one command line, from its first word after `keyferry` to the exit code. Never throws. */
export async function followCommandLine(
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    return await dispatch(args, surroundings)
  } catch (error) {
    return report(error, args, surroundings)
  }
}

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [verb, ...rest] = args
  if (verb === undefined) throw usageError('no command given', 'keyferry --help lists them.')
  if (VERSION_WORDS.includes(verb)) return print(surroundings, `${VERSION}\n`)
  if (verb === '--help' || verb === '-h') return await printHelp([], surroundings)
  if (verb === 'help') return await printHelp(rest, surroundings)
  const command = requireCommand(verb)
  const words = parseWords(command, rest)
  if (words.has('help')) return await printHelp([verb], surroundings)
  return await command.run(words, surroundings)
}

function requireCommand(verb: string): Command {
  const command = commands.find(({ name }) => name === verb)
  if (command !== undefined) return command
  const guess = nearest(verb, [...commands.map(({ name }) => name), ...PLAIN_WORDS])
  throw usageError(
    `there is no command ${printable(verb, 60)}`,
    guess === null ? 'keyferry --help lists them.' : `Did you mean keyferry ${guess}?`,
  )
}

async function printHelp([verb]: readonly string[], surroundings: Surroundings): Promise<number> {
  const { commandHelp, overview } = await import('./help.ts')
  const columns = surroundings.stdout.columns()
  const isPlain = verb === undefined || PLAIN_WORDS.includes(verb)
  return print(
    surroundings,
    isPlain ? overview(commands, columns) : commandHelp(requireCommand(verb), columns),
  )
}

function print({ stdout }: Surroundings, text: string): number {
  stdout.write(text)
  return EXIT.ok
}

function report(error: unknown, args: readonly string[], { stderr }: Surroundings): number {
  const failure = error instanceof CliError ? error : unexpected(error)
  if (isForMachines(args)) {
    const fields = { exit_code: failure.exitCode, message: failure.message, next: failure.next }
    stderr.write(`${JSON.stringify({ event: 'error', ...fields })}\n`)
  } else stderr.write(`keyferry: ${failure.message}\n  ${failure.next}\n`)
  return failure.exitCode
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown failure'
  return new CliError(
    EXIT.general,
    `unexpected: ${printable(message)}`,
    'Try again; if it stays so, please report it with this message.',
  )
}
