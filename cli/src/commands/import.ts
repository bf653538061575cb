import { resolve } from 'node:path'
import type { ImportText } from '@keyferry/contract/env-dialects'
import { CliError, usageError } from '../cli-error.ts'
import type { Command, Words } from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { LibraryClient } from '../import/library.ts'
import type { ImportPlan, SecretFlags } from '../import/plan.ts'
import type { Surroundings } from '../surroundings.ts'
import type { ViewName } from '../terminal/choose-view.ts'
import { printable } from '../terminal/printable.ts'
import { JSON_FLAG, QUIET_FLAG, readView } from './asking-flags.ts'
import { requireBundleName, requireKeyName } from './names.ts'
import { SERVER_FLAG, serverHere } from './server-flag.ts'

export const importCommand: Command = {
  name: 'import',
  operands: 'FILE|-',
  maxOperands: 1,
  summary: 'Put the variables of a .env or JSON file into the library and a bundle',
  details: [
    'Reads the file (- for standard input), makes a library key of each variable, and attaches the keys to the bundle in the order of the file. New keys are secret unless --public names them. Shows what would change; what it would overwrite it names, and asks. Doing it twice does no harm.',
    'Reads the dialects people have: an export before the name, comments behind values, CRLF, three kinds of quotes, values of several lines. Variables in values are not expanded.',
    'A key has one value for all the bundles that use it. Where people sign in to the server, import on its web page instead: from here nobody is signed in.',
  ],
  flags: [
    {
      name: 'bundle',
      short: 'b',
      value: 'NAME',
      summary: 'The bundle to fill; made if it is not there (required)',
    },
    SERVER_FLAG,
    {
      name: 'public',
      value: 'A,B',
      repeats: true,
      summary: 'These keys are no secrets: their values may be shown',
    },
    { name: 'secret', value: 'A,B', repeats: true, summary: 'These keys are secret from now on' },
    { name: 'yes', short: 'y', summary: 'Overwrite without asking' },
    QUIET_FLAG,
    JSON_FLAG,
  ],
  examples: [
    {
      command: 'keyferry import .env --bundle dev/app',
      what: 'Put the .env of a project into the bundle dev/app',
    },
    {
      command: 'keyferry import .env --bundle dev/app --public PORT,HOST',
      what: 'Two of the values are no secrets',
    },
    { command: 'pass show app | keyferry import - --bundle dev/app --yes', what: 'From another tool' },
  ],
  run: async (words, surroundings) => await importFile(await readOptions(words, surroundings), surroundings),
}

type ImportOptions = {
  readonly server: string
  /** Whether the next command finds that server only by its flag. */
  readonly isServerNamed: boolean
  /** Null: standard input. */
  readonly path: string | null
  readonly bundleName: string
  readonly flags: SecretFlags
  readonly mayOverwrite: boolean
  readonly view: ViewName
}

async function readOptions(words: Words, surroundings: Surroundings): Promise<ImportOptions> {
  const [file] = words.operands
  if (file === undefined || file === '') {
    throw usageError('import needs a file', 'For example: keyferry import .env --bundle dev/app')
  }
  return {
    server: await serverHere(words, surroundings),
    isServerNamed: words.has('server'),
    path: file === '-' ? null : resolve(surroundings.cwd, file),
    bundleName: readBundleName(words),
    flags: readFlags(words),
    mayOverwrite: words.has('yes'),
    view: readView(words),
  }
}

function readBundleName(words: Words): string {
  const name = words.text('bundle')
  if (name === null) {
    throw usageError(
      'import needs the name of a bundle',
      'For example: keyferry import .env --bundle dev/app',
    )
  }
  requireBundleName(name)
  return name
}

function readFlags(words: Words): SecretFlags {
  const flags = { secret: words.names('secret'), public: words.names('public') }
  for (const name of [...flags.secret, ...flags.public]) requireKeyName(name)
  const both = flags.secret.filter((name) => flags.public.includes(name))
  if (both.length === 0) return flags
  throw usageError(
    `${both.join(', ')} cannot be both secret and public`,
    'Name each in one of the two flags.',
  )
}

/** Read the file, show what would change, ask, and do it.
 * @returns the exit code · @throws CliError */
async function importFile(options: ImportOptions, surroundings: Surroundings): Promise<number> {
  const importing = await import('../import/library.ts')
  const { planImport } = await import('../import/plan.ts')
  const text = await readText(options, surroundings)
  const client = new importing.LibraryClient(surroundings.exchange, options.server)
  const library = await client.read(options.bundleName)
  const plan = planImport(options.bundleName, text.entries, { library, flags: options.flags })
  await show(plan, text, { options, surroundings })
  await requireConsent(plan, options, surroundings)
  await carryOut(plan, client, { options, surroundings })
  return EXIT.ok
}

async function readText(options: ImportOptions, surroundings: Surroundings): Promise<ImportText> {
  const name = options.path ?? 'standard input'
  const bytes = await readBytes(options.path, surroundings)
  const text = await parse(bytes, name)
  requireNamed(options.flags, text, name)
  if (text.entries.length > 0) return text
  throw new CliError(
    EXIT.general,
    `${printable(name)} holds no variables`,
    'Write lines such as NAME=value in it.',
  )
}

async function readBytes(path: string | null, { stdin }: Surroundings): Promise<Uint8Array> {
  if (path === null) return await stdin.readAll()
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(path)
  } catch (cause) {
    const next = 'Check the path; - reads standard input.'
    throw new CliError(EXIT.general, `${printable(path)} cannot be read: ${whyUnread(cause)}`, next, {
      cause,
    })
  }
}

const WHY_UNREAD: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

function whyUnread(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  return WHY_UNREAD[code] ?? code
}

async function parse(bytes: Uint8Array, name: string): Promise<ImportText> {
  const { EnvDialectError, readImport } = await import('@keyferry/contract/env-dialects')
  try {
    return readImport(bytes)
  } catch (error) {
    if (!(error instanceof EnvDialectError)) throw error
    const next = 'Nothing was imported. Mend the file, then run the same command again.'
    throw new CliError(EXIT.general, `${printable(name)}: ${error.message}`, next, { cause: error })
  }
}

function requireNamed(flags: SecretFlags, { entries }: ImportText, name: string): void {
  const missing = [...flags.secret, ...flags.public].filter(
    (key) => !entries.some((entry) => entry.name === key),
  )
  if (missing.length === 0) return
  throw usageError(
    `${missing.join(', ')} is not in ${printable(name)}`,
    'Check --public and --secret for a slip.',
  )
}

type Scene = { options: ImportOptions; surroundings: Surroundings }

async function show(plan: ImportPlan, text: ImportText, { options, surroundings }: Scene): Promise<void> {
  const { planFacts, planText } = await import('../import/plan-text.ts')
  const { overwrites } = await import('../import/plan.ts')
  const { stderr } = surroundings
  const mustAsk = overwrites(plan).length > 0 && !options.mayOverwrite
  if (options.view === 'json')
    stderr.write(`${JSON.stringify({ event: 'planned', ...planFacts(plan), notes: text.notes })}\n`)
  if (options.view === 'person' || (options.view === 'quiet' && mustAsk)) {
    stderr.write(planText(plan, options.server))
    for (const note of text.notes) stderr.write(`  note: ${note}\n`)
  }
}

async function requireConsent(
  plan: ImportPlan,
  options: ImportOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { overwrites } = await import('../import/plan.ts')
  const names = overwrites(plan).map(({ name }) => name)
  if (names.length === 0 || options.mayOverwrite) return
  const { keyboard, stderr } = surroundings
  if (options.view === 'json' || !stderr.isTerminal || !keyboard.isThere()) {
    throw new CliError(
      EXIT.general,
      `this would overwrite ${names.join(', ')}, and there is nobody to ask`,
      'Nothing was imported. Add --yes if that is meant.',
    )
  }
  const answer = keyboard.ask(`Overwrite ${names.join(', ')}? [y/N] `) ?? ''
  if (/^y(?:es)?$/i.test(answer.trim())) return
  throw new CliError(EXIT.general, 'not confirmed', 'Nothing was imported.')
}

async function carryOut(
  plan: ImportPlan,
  client: LibraryClient,
  { options, surroundings }: Scene,
): Promise<void> {
  const { applyImport, progressOf, progressText } = await import('../import/apply.ts')
  const { stderr } = surroundings
  const progress = progressOf(plan)
  const takeBack = surroundings.atInterrupt(() => stderr.write(`\n  ${progressText(progress)}\n`))
  try {
    await applyImport(client, plan, progress)
  } finally {
    takeBack()
  }
  if (options.view === 'json')
    stderr.write(`${JSON.stringify({ event: 'imported', bundle: plan.bundleName })}\n`)
  if (options.view === 'person') stderr.write(`Done. Next: ${nextCommand(options)}\n`)
}

function nextCommand({ bundleName, isServerNamed, server }: ImportOptions): string {
  return `keyferry run ${bundleName}${isServerNamed ? ` --server ${server}` : ''} -- PROGRAM`
}
