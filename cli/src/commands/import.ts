import { resolve } from 'node:path'
import { DIALECT_NAMES, type Dialect, isDialect } from '@keyferry/contract/env'
import type { Command, Words } from '../command-line/command.ts'
import { usageError } from '../ground/cli-error.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import type { ImportOptions } from '../import/import-file.ts'
import type { SecretFlags } from '../import/plan.ts'
import { type FoundProject, findProject } from '../project/project-file.ts'
import { JSON_FLAG, QUIET_FLAG, readView } from './asking-flags.ts'
import { requireBundleName, requireKeyName } from './names.ts'
import { SERVER_FLAG, serverOf } from './server-flag.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const importCommand: Command = {
  name: 'import',
  operands: 'FILE|-',
  maxOperands: 1,
  summary: 'Put the variables of a .env or JSON file into the library and a bundle',
  details: [
    'Reads the file (- for standard input), makes a library key of each variable, and attaches the keys to the bundle in the order of the file. New keys are secret unless --public names them. Shows what would change; what it would overwrite it names, and asks. Doing it twice does no harm.',
    'The file is read as npm dotenv reads it: with or without export, comments, CRLF, three kinds of quotes, values of several lines. Variables in values are not expanded. A note names each line that other programs read differently; --dialect shell and --dialect compose read it their way.',
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
    {
      name: 'dialect',
      value: 'DIALECT',
      summary: `What the .env file was written for: ${DIALECT_NAMES.join(', ')} (default: dotenv, which is npm dotenv)`,
    },
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
  run: async (words, parts) => {
    const options = await readOptions(words, parts)
    const { importFile } = await import('../import/import-file.ts')
    return await importFile(options, parts)
  },
}

async function readOptions(words: Words, parts: Parts): Promise<ImportOptions> {
  const [file] = words.operands
  if (file === undefined || file === '') {
    throw usageError('import needs a file', 'For example: keyferry import .env --bundle dev/app')
  }
  const project = findProject(parts.cwd)
  return {
    server: await serverOf(words, project, parts),
    workspaceId: workspaceIdOf(project),
    isServerNamed: words.has('server'),
    path: file === '-' ? null : resolve(parts.cwd, file),
    dialect: readDialect(words),
    bundleName: readBundleName(words),
    flags: readFlags(words),
    mayOverwrite: words.has('yes'),
    view: readView(words),
  }
}

// The server's header takes an id only; a name in keyferry.json is for the approver.
function workspaceIdOf(project: FoundProject | null): string | null {
  const workspace = project?.workspace ?? ''
  return UUID.test(workspace) ? workspace.toLowerCase() : null
}

function readDialect(words: Words): Dialect {
  const name = words.text('dialect') ?? 'dotenv'
  if (isDialect(name)) return name
  throw usageError(`there is no dialect ${printable(name, 60)}`, `Use one of ${DIALECT_NAMES.join(', ')}.`)
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
