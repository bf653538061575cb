import type { Parts, ProgramStart } from '../base/parts.ts'
import { whileWaiting } from '../base/with-resolvers.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import type { ValuesDelivery, ValuesRequest } from '../delivery/values-request.ts'
import { readChoice } from '../flags/library-flags.ts'
import { ownValuesOf, REQUEST_FLAGS, readValuesRequest } from '../flags/request-flags.ts'
import { requireProgram, throughShell } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import { openValueFiles, readWantedFiles, type ValueFiles } from '../program/value-files.ts'
import { RUN_OPTIONS } from './joined-modules.ts'

export const runCommand: Command = {
  name: 'run',
  operands: '[BUNDLE]',
  takesProgram: true,
  summary: 'Run a program with the values in its environment',
  details: [
    'Requests the values of a bundle, shows the approval link, waits, and starts the program. The program gets its arguments exactly as written, without a shell. On Linux and macOS it replaces the keyferry process. With Node.js older than 23.11, and on Windows, keyferry stays as its parent: it forwards signals and returns the exit code.',
    'A delivered value overrides a variable that is already set, unless you give --keep-existing.',
    ...RUN_OPTIONS.flatMap(({ details }) => details),
    '--redact prevents accidents, not attacks. It finds values of 8 bytes and more: as they are, line by line, in JSON, HTML and URLs, in the quotes of shells and SQL, and in base64, hexadecimal and UTF-16. It does not find a value that a program prints backwards, or one character at a time. With --redact the output of the program is a pipe, not a terminal.',
  ],
  flags: [
    ...REQUEST_FLAGS,
    flagOf('--only', 'Start the program with the delivered values only'),
    flagOf('--keep-existing', 'Keep variables that are already set'),
    {
      name: 'redact',
      group: 'Agents',
      value: 'auto|always|never',
      valueIfBare: 'always',
      summary:
        'Replace the values in the output of the program by the names of the variables (default: auto, for AI agents without a terminal)',
    },
    flagOf(
      '--file NAME=FILE...',
      'Write this value to a file, and give the program its path; deleted when the program ends',
    ),
    ...RUN_OPTIONS.flatMap(({ flags }) => flags),
    flagOf('--shell', 'Run the text after -- as a shell command'),
  ],
  examples: {
    'keyferry run dev/app -- npm run dev': 'Start a dev server with the values of dev/app',
    'keyferry run dev/app --keys DATABASE_URL -- psql': 'Request one variable only',
    'keyferry run --no-open -- ./deploy.sh': 'On a remote machine, let the approver choose the bundle',
    [`keyferry run dev/app --shell -- 'echo "$PORT" | wc -c'`]: 'Use the values in a shell command',
    ...Object.assign({}, ...RUN_OPTIONS.map(({ examples }) => examples)),
  },
  run: async (words, parts) => await run(await readRun(words, parts), parts),
}

type RunOptions = Awaited<ReturnType<typeof readRun>>

async function readRun(words: Words, parts: Parts) {
  const options = await readValuesRequest(words, parts)
  return {
    ...options,
    own: await ownValuesOf(options),
    program: words.program ?? [],
    isShell: words.has('shell'),
    isOnly: words.has('only'),
    keepsExisting: words.has('keep-existing'),
    redaction: readChoice(words, 'redact', ['auto', 'always', 'never']) ?? 'auto',
    /** Values that the program gets as files. */
    files: readWantedFiles(words.names('file')),
    ...wayOf(words),
  }
}

/** How an optional module runs the program; null: none does. */
function wayOf(words: Words) {
  for (const { read, needsMemory } of RUN_OPTIONS) {
    const runWith = read(words)
    if (runWith) return { runWith, needsMemory }
  }
  return { runWith: null }
}

/** Request the values and start the program with them.
 * @returns the program's exit code, if the client could not become the program · @throws CliError */
export async function run(options: RunOptions, parts: Parts): Promise<number> {
  const { env, platform } = parts
  const argv = options.isShell ? throughShell(options.program, env, platform) : options.program
  requireProgram(argv[0] ?? '', parts) // before the client makes a request
  const files = options.files.size === 0 ? null : openValueFiles(options.files, env)
  const { deliver } = await import('../delivery/deliver.ts')
  const request: ValuesRequest = {
    ...options,
    format: 'sh',
    command: options.program,
    via: 'run',
  }
  const delivering = deliver(request, parts)
  // Loaded by then, they start the program at once after the approval.
  const starting = whileWaiting(() =>
    Promise.all([import('../program/start-program.ts'), import('../redaction/redacted-stream.ts')]),
  )
  try {
    const delivered = await delivering
    const startWith = async (fresh: ValuesDelivery) =>
      await startOf(argv, { delivered: fresh, options, files }, parts)
    const start = await startWith(delivered)
    await starting
    if (options.runWith === null) return await parts.startProgram(start)
    return await options.runWith({ request, delivered, start, startWith }, parts)
  } finally {
    files?.remove()
  }
}

type Starting = {
  readonly delivered: ValuesDelivery
  readonly options: RunOptions
  readonly files: ValueFiles | null
}

async function startOf(
  argv: readonly string[],
  { delivered: { values, secrets }, options, files }: Starting,
  { env, stdout, stderr }: Parts,
): Promise<ProgramStart> {
  const { outputFilters } = await import('../redaction/redacted-stream.ts')
  return {
    argv,
    env: programEnvironment(env, files?.write(values) ?? values, options),
    searchPath: env['PATH'] ?? null,
    filters: await outputFilters(secrets, { ...options, stdout, stderr }),
    ...(files === null ? {} : { isParentNeeded: true as const }),
  }
}
