import type { Command, Words } from '../command.ts'
import { deliver } from '../delivery/deliver.ts'
import { requireProgram } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import type { Surroundings } from '../surroundings.ts'
import { ASKING_FLAGS, readAsk } from './asking-flags.ts'

export const runCommand: Command = {
  name: 'run',
  operands: '[BUNDLE]',
  maxOperands: 1,
  takesProgram: true,
  summary: 'Run a program with the values in its environment',
  details: [
    'Asks for the values of a bundle, shows the link to approve, waits, and starts the program. The program gets its arguments exactly as written, without a shell in between, and on Linux and macOS it takes the place of keyferry: input, output, signals, terminal and exit code are its own.',
    'A delivered value wins over a variable of the same name that is already set.',
  ],
  flags: ASKING_FLAGS,
  examples: [
    { command: 'keyferry run dev/app -- npm run dev', what: 'Start a dev server with the values of dev/app' },
    {
      command: 'keyferry run dev/app --keys DATABASE_URL -- psql',
      what: 'Ask for one key only',
    },
    {
      command: 'keyferry run --no-open -- ./deploy.sh',
      what: 'Let the approver pick the bundle, on a server',
    },
  ],
  run: async (words, surroundings) => await run(readRun(words, surroundings), surroundings),
}

export type RunOptions = ReturnType<typeof readAsk> & {
  readonly program: readonly string[]
}

function readRun(words: Words, { env }: Surroundings): RunOptions {
  return { ...readAsk(words, env), program: words.program ?? [] }
}

/** Ask for the values and start the program with them.
 * @returns the program's exit code, where the client could not become the program · @throws CliError */
export async function run(options: RunOptions, surroundings: Surroundings): Promise<number> {
  const [name = ''] = options.program
  requireProgram(name, surroundings) // before anybody is asked for anything
  const ask = { ...options, format: 'sh', command: options.program }
  const values = await deliver(ask, surroundings)
  const env = programEnvironment(surroundings.env, values)
  return await surroundings.startProgram({ argv: options.program, env })
}
