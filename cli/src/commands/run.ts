import type { Command, Words } from '../command-line/command.ts'
import { harmlessValues } from '../delivery/dangerous-names.ts'
import { usageError } from '../ground/cli-error.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { withoutCredentials } from '../machine/without-credentials.ts'
import { requireProgram } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import { throughShell } from '../program/through-shell.ts'
import { outputFilters, type Redaction } from '../redaction/output-filters.ts'
import { ASKING_FLAGS, type AskingOptions, readAsking } from './asking-flags.ts'

export const runCommand: Command = {
  name: 'run',
  operands: '[BUNDLE]',
  maxOperands: 1,
  takesProgram: true,
  summary: 'Run a program with the values in its environment',
  details: [
    'Requests the values of a bundle, shows the approval link, waits, and starts the program. The program gets its arguments exactly as written, without a shell. On Linux and macOS it replaces the keyferry process, so it has the terminal, the signals and the exit code to itself.',
    'A delivered value overrides a variable that is already set, unless you give --keep-existing.',
    '--redact is a seat belt, not a wall. It finds values of 8 bytes and more: as they are, line by line, and in JSON, URLs, base64 and hexadecimal. A program that prints a value backwards, or one character at a time, still shows it. The output of the program is then no terminal.',
  ],
  flags: [
    ...ASKING_FLAGS,
    { name: 'only', summary: 'Start the program with the delivered values only' },
    { name: 'keep-existing', summary: 'Keep variables that are already set' },
    {
      name: 'redact',
      value: 'auto|always|never',
      valueIfBare: 'always',
      summary:
        'Replace the values in the output of the program by their names (default: auto, for AI agents without a terminal)',
    },
    { name: 'shell', summary: 'Run the text after -- as a shell command' },
  ],
  examples: [
    { command: 'keyferry run dev/app -- npm run dev', what: 'Start a dev server with the values of dev/app' },
    { command: 'keyferry run dev/app --keys DATABASE_URL -- psql', what: 'Request one key only' },
    {
      command: 'keyferry run --no-open -- ./deploy.sh',
      what: 'On a remote machine, let the approver choose the bundle',
    },
    {
      command: `keyferry run dev/app --shell -- 'echo "$PORT" | wc -c'`,
      what: 'Use the values in a shell command',
    },
  ],
  run: async (words, parts, pending) => await run(await readRun(words, parts, pending ?? null), parts),
}

type RunOptions = AskingOptions & {
  readonly program: readonly string[]
  readonly isShell: boolean
  readonly isOnly: boolean
  readonly keepsExisting: boolean
  readonly redaction: Redaction
  readonly keepAs: readonly string[] | null
  readonly pending: PendingRequest | null
}

async function readRun(words: Words, parts: Parts, pending: PendingRequest | null): Promise<RunOptions> {
  const asking = await readAsking(words, parts)
  return {
    ...asking,
    program: words.program ?? [],
    isShell: words.has('shell'),
    isOnly: words.has('only'),
    keepsExisting: words.has('keep-existing'),
    redaction: readRedaction(words),
    keepAs: asking.isResumable ? words.line : null,
    pending,
  }
}

function readRedaction(words: Words): Redaction {
  const when = words.text('redact') ?? 'auto'
  if (when === 'auto' || when === 'always' || when === 'never') return when
  throw usageError('--redact must be auto, always or never', 'Use one of the three, or leave it out.')
}

/** Request the values and start the program with them.
 * @returns the program's exit code, if the client could not become the program · @throws CliError */
export async function run(options: RunOptions, parts: Parts): Promise<number> {
  const { env, platform, stdout, stderr } = parts
  const argv = options.isShell ? throughShell(options.program, env, platform) : options.program
  requireProgram(argv[0] ?? '', parts) // before the client makes a request
  const { deliver } = await import('../delivery/deliver.ts')
  const starting = import('../program/start-program.ts') // load now, so that the program starts at once after the approval
  const delivered = await deliver({ ...options, format: 'sh', command: options.program, via: 'run' }, parts)
  const values = harmlessValues(delivered, options)
  await starting
  return await parts.startProgram({
    argv,
    env: programEnvironment(withoutCredentials(env), values, options),
    searchPath: env['PATH'] ?? null,
    filters: await outputFilters(values, { ...options, stdout, stderr }),
  })
}
