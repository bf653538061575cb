import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FORMAT_NAMES } from '@keyferry/contract/env/format-names'
import { codeOf, EXIT, generalError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { type Command, flagOf, type Words } from '../command-line/command.ts'
import {
  readWorkspaceFlag,
  requireBundleName,
  requireFormatName,
  requireKeyName,
  SERVER_FLAG,
} from '../flags/library-flags.ts'
import { chooseServer, PROJECT_FILE, type Project } from '../project/project-file.ts'

export const initCommand: Command = {
  name: 'init',
  summary: `Create ${PROJECT_FILE} with the defaults of this project`,
  details: [
    `Writes ${PROJECT_FILE} to the current folder: server, workspace, bundle, variables and format. The file holds no secrets; commit it. Before keyferry uses a server from a ${PROJECT_FILE} that you did not write, it asks you once.`,
  ],
  flags: [
    SERVER_FLAG,
    flagOf('-b, --bundle NAME', 'The bundle that run and pull request'),
    flagOf('-w, --workspace NAME|ID', 'The workspace of the bundle'),
    flagOf('--keys A,B...', 'Request only these variables of the bundle'),
    flagOf('--optional A,B...', 'Request these variables too; they may be missing'),
    flagOf('-f, --format FORMAT', `The format that pull writes: ${FORMAT_NAMES.join(', ')}`),
    flagOf('--force', 'Overwrite the file if it exists'),
  ],
  examples: {
    'keyferry init --bundle dev/app': 'Then keyferry run -- npm run dev is enough',
  },
  run: async (words, parts) => await init(readInit(words, parts), parts),
}

type InitOptions = { readonly project: Project; readonly mayReplace: boolean }

function readInit(words: Words, { env }: Parts): InitOptions {
  const bundle = words.text('bundle')
  const workspace = readWorkspaceFlag(words)
  const keys = words.names('keys')
  const optional = words.names('optional')
  const format = words.text('format')
  if (bundle !== null) requireBundleName(bundle)
  for (const name of [...keys, ...optional]) requireKeyName(name)
  const project = {
    server: chooseServer(words.text('server'), null, env).server,
    workspace: workspace ?? undefined,
    bundle: bundle ?? undefined,
    keys: keys.length === 0 ? undefined : keys,
    optional: optional.length === 0 ? undefined : optional,
    format: format === null ? undefined : requireFormatName(format),
  }
  return { project, mayReplace: words.has('force') }
}

/** Write the project file and trust its server, because the person who runs this has chosen it.
 * @returns the exit code · @throws CliError general: the file exists, or cannot be written */
async function init({ project, mayReplace }: InitOptions, parts: Parts): Promise<number> {
  const path = join(parts.cwd, PROJECT_FILE)
  if (!mayReplace && existsSync(path)) {
    throw generalError(`${printable(path)} already exists`, 'Edit the file, or overwrite it with --force.')
  }
  writeProject(path, project)
  const { trust } = await import('../project/trusted-folders.ts')
  if (project.server !== undefined) trust({ folder: parts.cwd, server: project.server }, parts)
  parts.stderr.write(`Wrote ${printable(path)}. It holds no secrets; commit it.\n`)
  return EXIT.ok
}

function writeProject(path: string, project: Project): void {
  try {
    writeFileSync(path, `${JSON.stringify(project, null, 2)}\n`)
  } catch (cause) {
    const code = codeOf(cause)
    const message = `${printable(path)} cannot be written: ${code}`
    throw generalError(message, 'Check that you can write to the folder.')
  }
}
