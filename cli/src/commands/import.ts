import { basename, dirname, resolve } from 'node:path'
import { DIALECT_NAMES, type Dialect, isDialect } from '@keyferry/contract/env/dialects'
import { LIMITS } from '@keyferry/contract/limits'
import { type CliError, EXIT, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import type { Choices } from '../deposit/deposit-body.ts'
import { requireBundleName, requireKeyName, SERVER_FLAG, WORKSPACE_FLAG } from '../flags/library-flags.ts'
import { CHANGE_FLAGS, readRequest } from '../flags/request-flags.ts'
import type { ImportedFile, ImportOptions, SecretFlags } from '../import/import-options.ts'

export const importCommand: Command = {
  name: 'import',
  operands: 'FILE|- [FILE...]',
  maxOperands: LIMITS.comparedBundles,
  summary: 'Import the variables of .env or JSON files into a bundle each',
  details: [
    'Reads the file (- for standard input), and stores all of its variables in the bundle, or none. A new variable is secret unless --public names it, even if another bundle has one of the same name that is not secret. What the bundle already delivers stays secret or not. The plan says which values are not secret. Importing the same file again writes nothing.',
    'Another bundle may have the same variable. An equal value with the same mark is shared between environments of one application, such as dev/app and staging/app: both use one value. To share a value that is not secret, name it in --public or --share. A secret is not shared between production and other environments. Any other value belongs to this bundle alone. Change this for single variables with --own, --share and --replace. Only --replace changes what other bundles deliver.',
    'On a terminal, import shows the plan and asks. Without a terminal it carries out the plan, but needs --yes to update values of this bundle. A value of ***** keeps the stored one.',
    'The file is read as npm dotenv reads it; variables in values are not expanded. import prints a note for each line that other programs read differently. For their files, use --dialect shell or --dialect compose.',
    'Where people sign in to the server, import seals the values to the server, shows a link, and waits until a person has seen the plan and approved it. Only the server can read the values. At most 1,000 variables and 256 KiB at a time.',
    'Several files go to one bundle each, with one plan and one approval; the server stores all of them or none. In the name of the bundle, {dir} is the folder of the file, and {name} the name of the file without .env: staging for .env.staging, and dev for .env itself.',
  ],
  flags: [
    flagOf('-b, --bundle NAME', 'The bundle to import into; created if it does not exist (required)'),
    WORKSPACE_FLAG,
    SERVER_FLAG,
    flagOf('--public A,B...', 'These variables are not secret; their values may be shown'),
    flagOf('--secret A,B...', 'These variables are secret'),
    flagOf(
      '--dialect DIALECT',
      `The program that the .env file was written for: ${DIALECT_NAMES.join(', ')} (default: dotenv, as npm dotenv)`,
    ),
    flagOf('--own A,B...', 'Give the bundle its own values of these'),
    flagOf('--share A,B...', 'Use the stored values of these, and ignore those in the file'),
    flagOf(
      '--replace A,B...',
      'Change these in every bundle that uses them (all: every variable of the file)',
    ),
    flagOf('--dry-run', 'Show the plan and change nothing'),
    flagOf('-y, --yes', 'Do not ask; update values that only this bundle uses'),
    ...CHANGE_FLAGS,
  ],
  examples: {
    'keyferry import .env --bundle dev/app': 'Import the .env file of a project into the bundle dev/app',
    'keyferry import .env --bundle dev/app --public PORT,HOST': 'Import two of the values as public',
    'keyferry import .env.production --bundle prod/app':
      'Another environment: its values are secret, and those that differ are its own',
    'keyferry import apps/*/.env --bundle dev/{dir}':
      'Import apps/api/.env into dev/api, apps/web/.env into dev/web, and so on, with one approval',
    'keyferry import .env .env.staging .env.production --bundle {name}/app':
      'Import the files of three environments into dev/app, staging/app and production/app',
    'pass show app | keyferry import - --bundle dev/app --yes': 'Import from another tool',
  },
  run: async (words, parts) => {
    const options = await readOptions(words, parts)
    const { importFile } = await import('../import/import-file.ts')
    await importFile(options, parts)
    return EXIT.ok
  },
}

async function readOptions(words: Words, parts: Parts): Promise<ImportOptions> {
  const [first, ...others] = filesIn(words, parts.cwd)
  return {
    ...(await readRequest(words, parts)),
    isServerNamed: words.has('server'),
    path: first.path,
    dialect: readDialect(words),
    bundleName: first.bundleName,
    others,
    how: 'import',
    flags: readFlags(words),
    choices: readChoices(words),
    isDryRun: words.has('dry-run'),
    mayUpdate: words.has('yes'),
    command: ['keyferry', 'import', ...words.operands, '--bundle', readBundleName(words), ...namedIn(words)],
  }
}

// The approver sees what a person chose for single names.
const CHOICES = ['public', 'secret', 'own', 'share', 'replace']

function namedIn(words: Words): string[] {
  return CHOICES.flatMap((flag) => (words.has(flag) ? [`--${flag}`, words.names(flag).join(',')] : []))
}

function readDialect(words: Words): Dialect {
  const name = words.text('dialect') ?? 'dotenv'
  if (isDialect(name)) return name
  throw usageError(`unknown dialect ${printable(name, 60)}`, `Use one of ${DIALECT_NAMES.join(', ')}.`)
}

function readBundleName(words: Words): string {
  const name = words.text('bundle')
  if (name !== null) return name
  throw usageError('import needs a bundle', 'For example: keyferry import .env --bundle dev/app')
}

/** The files, each with its bundle.
 * @throws CliError usage: two files for one bundle, or a name that no bundle can have */
function filesIn(words: Words, cwd: string): [ImportedFile, ...ImportedFile[]] {
  const template = readBundleName(words)
  const byBundle = new Map<string, ImportedFile>()
  for (const file of words.operands) {
    if (file === '') throw noFile()
    const path = file === '-' ? null : resolve(cwd, file)
    const bundleName = bundleFor(template, path)
    requireBundleName(bundleName)
    const twin = byBundle.get(bundleName)
    if (twin) throw sameBundle(bundleName, [twin.path, path])
    byBundle.set(bundleName, { path, bundleName })
  }
  const [first, ...others] = byBundle.values()
  if (first === undefined) throw noFile()
  return [first, ...others]
}

function noFile(): CliError {
  return usageError('import needs a file', 'For example: keyferry import .env --bundle dev/app')
}

function sameBundle(bundleName: string, paths: readonly (string | null)[]): CliError {
  const files = paths.map((path) => printable(path ?? 'standard input')).join(' and ')
  const next = 'Use {dir} or {name} in --bundle, for example --bundle dev/{dir}.'
  return usageError(`${files} both go to ${bundleName}`, next)
}

/** @throws CliError usage: the file gives no name */
function bundleFor(template: string, path: string | null): string {
  const known: Readonly<Record<string, string>> = {
    dir: path === null ? '' : basename(dirname(path)),
    name: path === null ? '' : environmentOf(basename(path)),
  }
  return template.replaceAll(/\{(dir|name)\}/g, (place, word: string) => {
    const name = known[word] ?? ''
    if (name !== '') return name
    throw usageError(
      `${printable(path ?? 'standard input')} gives no ${place}`,
      'Name the bundle in --bundle.',
    )
  })
}

// A plain .env is for development.
const environmentOf = (file: string) =>
  file === '.env' ? 'dev' : file.replace(/^\.env\.|\.(?:env|json)$/g, '')

function readFlags(words: Words): SecretFlags {
  const flags = { secret: words.names('secret'), public: words.names('public') }
  for (const name of [...flags.secret, ...flags.public]) requireKeyName(name)
  const both = flags.secret.filter((name) => flags.public.includes(name))
  if (both.length === 0) return flags
  throw usageError(
    `${both.join(', ')} cannot be both secret and public`,
    'Use only one of --secret and --public for each.',
  )
}

function readChoices(words: Words): Choices {
  const lists = { own: words.names('own'), share: words.names('share'), replace: words.names('replace') }
  const given = [...lists.own, ...lists.share, ...lists.replace]
  for (const name of given) requireKeyName(name)
  const twice = given.filter((name, index) => given.indexOf(name) < index)
  if (twice.length > 0) {
    throw usageError(
      `${twice.join(', ')} is given twice`,
      'Name each in one of --own, --share and --replace.',
    )
  }
  const [only, ...more] = lists.replace
  return { ...lists, replace: only === 'all' && more.length === 0 ? 'all' : lists.replace }
}
