import type { Command, Words } from '../command-line/command.ts'
import { harmlessValues } from '../delivery/dangerous-names.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { requireProgram } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import { throughShell } from '../program/through-shell.ts'
import { ASKING_FLAGS, type AskingOptions, readAsking } from './asking-flags.ts'

export const runCommand: Command = {
  name: 'run',
  operands: '[BUNDLE]',
  maxOperands: 1,
  takesProgram: true,
  summary: 'Run a program with the values in its environment',
  details: [
    'Asks for the values of a bundle, shows the link to approve, waits, and starts the program. The program gets its arguments exactly as written, without a shell in between, and on Linux and macOS it takes the place of keyferry: input, output, signals, terminal and exit code are its own.',
    'A delivered value wins over a variable of the same name that is already set, unless --keep-existing is given.',
  ],
  flags: [
    ...ASKING_FLAGS,
    { name: 'only', summary: 'Give the program the delivered values and nothing else' },
    { name: 'keep-existing', summary: 'A variable that is already set wins over a delivered value' },
    { name: 'shell', summary: 'What follows -- is one line for the shell' },
  ],
  examples: [
    { command: 'keyferry run dev/app -- npm run dev', what: 'Start a dev server with the values of dev/app' },
    { command: 'keyferry run dev/app --keys DATABASE_URL -- psql', what: 'Ask for one key only' },
    {
      command: 'keyferry run --no-open -- ./deploy.sh',
      what: 'Let the approver pick the bundle, on a server',
    },
    {
      command: `keyferry run dev/app --shell -- 'echo "$PORT" | wc -c'`,
      what: 'Use the values in a line of shell',
    },
  ],
  run: async (words, parts, pending) => await run(await readRun(words, parts, pending ?? null), parts),
}

type RunOptions = AskingOptions & {
  readonly program: readonly string[]
  readonly isShell: boolean
  readonly isOnly: boolean
  readonly keepsExisting: boolean
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
    keepAs: asking.isResumable ? words.line : null,
    pending,
  }
}

/** Ask for the values and start the program with them.
 * @returns the program's exit code, where the client could not become the program · @throws CliError */
export async function run(options: RunOptions, parts: Parts): Promise<number> {
  const { env, platform } = parts
  const argv = options.isShell ? throughShell(options.program, env, platform) : options.program
  requireProgram(argv[0] ?? '', parts) // before anybody is asked for anything
  const { deliver } = await import('../delivery/deliver.ts')
  const starting = import('../program/start-program.ts') // nothing is left to load once the person has approved
  const delivered = await deliver({ ...options, format: 'sh', command: options.program }, parts)
  const values = harmlessValues(delivered, options)
  await starting
  return await parts.startProgram({
    argv,
    env: programEnvironment(env, values, options),
    searchPath: env['PATH'] ?? null,
  })
}
