import { basename, resolve } from 'node:path'
import { FORMAT_NAMES, type FormatName } from '@keyferry/contract/env/format-names'
import { announce } from '../base/announce.ts'
import { EXIT, generalError, usageError } from '../base/cli-error.ts'
import type { OutputFile } from '../base/output-file.ts'
import type { Parts, Values } from '../base/parts.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import { requireFormatName } from '../flags/library-flags.ts'
import { ownValuesOf, REQUEST_FLAGS, readValuesRequest } from '../flags/request-flags.ts'

export const FOR_AGENT_FLAG = flagOf('--for-agent', 'Let an AI agent read the values; the approver sees it')

export const pullCommand: Command = {
  name: 'pull',
  operands: '[BUNDLE]',
  summary: 'Print the values, or write them to a file',
  details: [
    'Requests the values of a bundle, shows the approval link, waits, and writes the values in the chosen format. Only values go to standard output; everything else goes to standard error.',
    'If the format cannot hold a value, pull names it and writes nothing. An output file is complete or absent, and only its owner can read it. An existing file is kept unless you give --force.',
  ],
  flags: [
    ...REQUEST_FLAGS,
    flagOf('-f, --format FORMAT', `${FORMAT_NAMES.join(', ')} (default: by the name of the file, else sh)`),
    flagOf('-o, --output FILE', 'Write to this file (mode 0600)'),
    flagOf('--force', 'Overwrite the file if it exists'),
    FOR_AGENT_FLAG,
  ],
  examples: {
    'eval "$(keyferry pull dev/app)"': 'Set the values in this shell',
    'keyferry pull dev/app --format fish | source': 'Set the values in a fish shell',
    'keyferry pull dev/app --output .env': 'Write a .env file',
  },
  run: async (words, parts) => await pull(await readPull(words, parts), parts),
}

type PullOptions = Awaited<ReturnType<typeof readPull>>

async function readPull(words: Words, parts: Parts) {
  const options = await readValuesRequest(words, parts)
  requireReader(options.agent, words)
  const output = readOutput(words, parts.cwd)
  const named = output === null ? null : formatOfFile(basename(output.path))
  return {
    ...options,
    own: await ownValuesOf(options),
    formatName: requireFormatName(words.text('format') ?? named ?? options.projectFormat ?? 'sh'),
    output,
  }
}

function formatOfFile(name: string): FormatName | null {
  if (name === '.env' || name.startsWith('.env.') || name.endsWith('.env')) return '.env'
  if (name.endsWith('.json')) return 'json'
  return name.endsWith('.fish') ? 'fish' : null
}

/** What is printed is in the agent's transcript, and a file that it names is one that it reads.
 * @throws CliError usage */
export function requireReader(agent: string | null, words: Words): void {
  if (agent === null || words.has('for-agent')) return
  throw usageError(
    `${agent} started this command, and would read the values`,
    'Use keyferry run, which gives them to a program only. To let the agent read them, add --for-agent.',
  )
}

/** @returns null: standard output */
function readOutput(words: Words, cwd: string): OutputFile | null {
  const path = words.text('output')
  if (path === null && words.has('force')) throw usageError('--force needs --output', 'Add --output FILE.')
  if (path === '')
    throw usageError('--output needs a file name', 'Use --output FILE, or --output - for standard output.')
  return path === null || path === '-' ? null : { path: resolve(cwd, path), mayReplace: words.has('force') }
}

// Control characters except tab and line end, and characters that change the reading direction.
const OBEYED = /[^\P{Cc}\t\r\n]|\r(?!\n)|\p{Bidi_Control}/u

/** Request the values and write them.
 * @returns the exit code · @throws CliError */
export async function pull(options: PullOptions, parts: Parts): Promise<number> {
  const { output, formatName } = options
  const { requireWritable, writeOutputFile } = await import('../base/output-file.ts')
  const { writeValues } = await import('../output/write-values.ts')
  const { FORMATS } = await import('@keyferry/contract/env')
  const { deliver } = await import('../delivery/deliver.ts')
  if (output !== null) requireWritable(output)
  else warnOfTerminal(parts, formatName)
  const command = ['keyferry', 'pull', ...(formatName === 'sh' ? [] : ['--format', formatName])]
  const request = { ...options, format: FORMATS[formatName].asked, command, via: 'pull' as const }
  const { values } = await deliver(request, parts)
  const { text, warnings } = writeValues(formatName, values)
  if (output === null) writeToStandardOutput(text, values, parts)
  else writeOutputFile(output, text)
  warnOfReaders(warnings, formatName, parts)
  return EXIT.ok
}

// A terminal executes control characters: a value could change what the screen shows, or type text.
function writeToStandardOutput(text: string, values: Values, { stdout }: Parts): void {
  if (stdout.isTerminal && OBEYED.test(text)) {
    const names = [...values].flatMap(([name, value]) => (OBEYED.test(value) ? [name] : []))
    throw generalError(
      `${names.join(', ')} cannot be printed: the terminal would execute their control characters`,
      'Nothing was written. Use --output FILE, or pipe standard output to a program.',
    )
  }
  stdout.write(text)
}

function warnOfReaders(warnings: readonly string[], formatName: FormatName, parts: Parts): void {
  if (warnings.length === 0) return
  announce(parts, { event: 'read_differently', format: formatName, warnings }, null)
  if (parts.view !== 'json')
    for (const warning of warnings) parts.stderr.write(`keyferry: read differently by ${warning}\n`)
}

function warnOfTerminal({ stdout, stderr }: Parts, formatName: FormatName): void {
  if (!stdout.isTerminal) return
  const instead = formatName === 'sh' ? 'eval "$(keyferry pull ...)" or --output FILE' : '--output FILE'
  stderr.write(`keyferry: the values will be printed to this terminal; use ${instead} to avoid that\n`)
}
