import { nearest } from '@keyferry/contract/nearest'
import { CliError, EXIT, generalError, usageError } from './base/cli-error.ts'
import type { Parts } from './base/parts.ts'
import { printable } from './base/printable.ts'
import { VERSION } from './base/version.ts'
import type { Command } from './command-line/command.ts'
import { isForMachines, parseWords, viewOf } from './command-line/parse-words.ts'
import { commands, GROUPS } from './commands/commands.ts'
import { printCompletions } from './commands/completion.ts'

// Words that work like commands and have no help page.
const PLAIN_WORDS = ['help', 'version']
const VERSION_WORDS = ['version', '--version', '-V', '-v']

// Commands of other tools, and what to do here.
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['get', 'Use keyferry pull BUNDLE --keys NAME, or keyferry run BUNDLE -- PROGRAM.'],
  [
    'login',
    'You sign in on the approval page: use keyferry run BUNDLE -- PROGRAM, and approve in the browser.',
  ],
])

/** Run one command line and return its exit code. Never throws.
 * @param args the words after `keyferry` */
export async function followCommandLine(args: readonly string[], parts: Parts): Promise<number> {
  try {
    return await dispatch(args, parts)
  } catch (error) {
    return await report(error, args, parts)
  }
}

async function dispatch(args: readonly string[], parts: Parts): Promise<number> {
  const [verb, ...rest] = args
  if (verb === undefined) return await printBrief(parts)
  if (verb === '--help' || verb === '-h') return await printHelp([], parts)
  if (VERSION_WORDS.includes(verb)) return print(parts, `${VERSION}\n`)
  if (verb === 'help') return await printHelp(rest, parts)
  if (verb === '__complete') return await printCompletions(rest, commands, parts)
  const command = requireCommand(verb)
  const words = parseWords(command, rest)
  if (words.has('help')) return await printHelp([verb], parts)
  if (parts.cwd === '')
    throw usageError('the current folder was deleted', 'Change to another folder, and run the command again.')
  return await command.run(words, { ...parts, view: viewOf(words) })
}

function requireCommand(verb: string): Command {
  const command = commands.find(({ name }) => name === verb)
  if (command !== undefined) return command
  const instead = INSTEAD.get(verb)
  if (instead !== undefined) throw usageError(`there is no command ${verb}`, instead)
  const guess = nearest(verb, [...commands.map(({ name }) => name), ...PLAIN_WORDS])
  throw usageError(
    `unknown command ${printable(verb, 60)}`,
    guess === null ? 'Run keyferry --help for a list.' : `Did you mean keyferry ${guess}?`,
  )
}

async function printBrief(parts: Parts): Promise<number> {
  const { brief } = await import('./command-line/help.ts')
  return print(parts, brief(GROUPS, parts.stdout.columns()))
}

async function printHelp([verb]: readonly string[], parts: Parts): Promise<number> {
  const { commandHelp, overview } = await import('./command-line/help.ts')
  const columns = parts.stdout.columns()
  const isPlain = verb === undefined || PLAIN_WORDS.includes(verb)
  return print(parts, isPlain ? overview(GROUPS, columns) : commandHelp(requireCommand(verb), columns))
}

function print({ stdout }: Parts, text: string): number {
  stdout.write(text)
  return EXIT.ok
}

async function report(error: unknown, args: readonly string[], parts: Parts): Promise<number> {
  const failure = error instanceof CliError ? error : unexpected(error)
  if (isForMachines(args)) {
    const fields = { exit_code: failure.exitCode, message: failure.message, next: failure.next }
    parts.stderr.write(`${JSON.stringify({ event: 'error', ...fields })}\n`)
  } else (await import('./terminal/failure.ts')).showFailure(failure, parts)
  return failure.exitCode
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'
  return generalError(
    `unexpected error: ${printable(message)}`,
    'Try again. If it happens again, please report it with this message.',
  )
}
