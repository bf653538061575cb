import { usageError } from '../base/cli-error.ts'
import type { Parts, ProgramStart } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { whileWaiting } from '../base/with-resolvers.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import type { ValuesDelivery, ValuesRequest } from '../delivery/values-request.ts'
import { readChoice } from '../flags/library-flags.ts'
import { ownValuesOf, REQUEST_FLAGS, readValuesRequest } from '../flags/request-flags.ts'
import { requireProgram, throughShell } from '../program/find-program.ts'
import { programEnvironment } from '../program/program-environment.ts'
import { openValueFiles, readWantedFiles, type ValueFiles } from '../program/value-files.ts'
import type { Watching } from '../watch/watch-values.ts'

export const runCommand: Command = {
  name: 'run',
  operands: '[BUNDLE]',
  takesProgram: true,
  summary: 'Run a program with the values in its environment',
  details: [
    'Requests the values of a bundle, shows the approval link, waits, and starts the program. The program gets its arguments exactly as written, without a shell. On Linux and macOS it replaces the keyferry process. With Node.js older than 23.11, and on Windows, keyferry stays as its parent: it forwards signals and returns the exit code.',
    'A delivered value overrides a variable that is already set, unless you give --keep-existing.',
    '--watch needs a machine credential, or an approval that is remembered. keyferry stays as the parent of the program. It waits for changes, fetches the values again, ends the program and starts it. If the program does not end within 10 s, keyferry kills it. If the new values cannot be fetched, the program keeps running with the old ones.',
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
        'Replace the values in the output of the program by their names (default: auto, for AI agents without a terminal)',
    },
    flagOf(
      '--file NAME=FILE...',
      'Write this value to a file, and give the program its path; deleted when the program ends',
    ),
    flagOf('--watch', 'Restart the program when a value changes'),
    flagOf('--watch-signal NAME', 'The signal that ends the program for a restart (default: TERM)', 'Rare'),
    flagOf('--shell', 'Run the text after -- as a shell command'),
  ],
  examples: {
    'keyferry run dev/app -- npm run dev': 'Start a dev server with the values of dev/app',
    'keyferry run dev/app --keys DATABASE_URL -- psql': 'Request one key only',
    'keyferry run --no-open -- ./deploy.sh': 'On a remote machine, let the approver choose the bundle',
    'keyferry run prod/app --watch -- ./deploy.sh': 'As a machine, run the script again when a value changes',
    [`keyferry run dev/app --shell -- 'echo "$PORT" | wc -c'`]: 'Use the values in a shell command',
  },
  run: async (words, parts, pending) => await run(await readRun(words, parts), parts, pending),
}

type RunOptions = Awaited<ReturnType<typeof readRun>>

async function readRun(words: Words, parts: Parts) {
  const options = await readValuesRequest(words, parts)
  return {
    ...options,
    own: await ownValuesOf(options),
    watches: words.has('watch'),
    program: words.program ?? [],
    isShell: words.has('shell'),
    isOnly: words.has('only'),
    keepsExisting: words.has('keep-existing'),
    redaction: readChoice(words, 'redact', ['auto', 'always', 'never']) ?? 'auto',
    /** Values that the program gets as files. */
    files: readWantedFiles(words.names('file')),
    /** The signal that ends the program when a value changed; null: values are not watched. */
    watchSignal: readWatchSignal(words),
  }
}

const WATCH_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL'] as const

function readWatchSignal(words: Words): NodeJS.Signals | null {
  const text = words.text('watch-signal')
  if (!words.has('watch')) {
    if (text !== null) throw usageError('--watch-signal needs --watch', 'Add --watch.')
    return null
  }
  if (words.has('ask')) {
    throw usageError(
      '--watch and --ask cannot be combined',
      'Leave out --ask: the approval has to be remembered.',
    )
  }
  const name = (text ?? 'TERM').toUpperCase()
  const signal = WATCH_SIGNALS.find((known) => known === name || known === `SIG${name}`)
  if (signal !== undefined) return signal
  const names = WATCH_SIGNALS.map((known) => known.slice('SIG'.length)).join(', ')
  throw usageError(`--watch-signal must be one of ${names}`, 'Use one of them, or leave it out for TERM.')
}

/** Request the values and start the program with them.
 * @param pending an earlier request to continue
 * @returns the program's exit code, if the client could not become the program · @throws CliError */
export async function run(options: RunOptions, parts: Parts, pending?: PendingRequest): Promise<number> {
  const { env, platform } = parts
  const argv = options.isShell ? throughShell(options.program, env, platform) : options.program
  requireProgram(argv[0] ?? '', parts) // before the client makes a request
  const files = options.files.size === 0 ? null : openValueFiles(options.files, env)
  const { deliver } = await import('../delivery/deliver.ts')
  const request: ValuesRequest = { ...options, format: 'sh', command: options.program, via: 'run' }
  const delivering = deliver(request, parts, { pending })
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
    if (options.watchSignal === null) return await parts.startProgram(start)
    const watching = { request, delivered, signal: options.watchSignal, startWith }
    return await runWatched(watching, start, parts)
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

async function runWatched(
  watching: Omit<Watching, 'program' | 'fetch'>,
  start: ProgramStart,
  parts: Parts,
): Promise<number> {
  const [{ watchValues }, { deliver }] = await Promise.all([
    import('../watch/watch-values.ts'),
    import('../delivery/deliver.ts'),
  ])
  const program = await parts.superviseProgram(start)
  const quieter: Parts = { ...parts, view: parts.view === 'json' ? 'json' : 'quiet' }
  const again = { ...watching.request, whyNotOpen: 'the values are fetched again', keepAs: null }
  const fetch = async () => await deliver(again, quieter, { mayAsk: false })
  return await watchValues({ ...watching, program, fetch }, parts)
}
