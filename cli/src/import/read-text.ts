import { readFile } from 'node:fs/promises'
import { type Dialect, decodeText, EnvError, type EnvText, readImport } from '@keyferry/contract/env'
import { codeOf, generalError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'

type TextSource = {
  /** Null: standard input. */
  readonly path: string | null
  readonly dialect: Dialect
}

/** Names that flags of the command line give, by flag. */
type FlaggedNames = Readonly<Record<string, readonly string[]>>

/** The variables of the file, or of standard input.
 * @throws CliError general: it cannot be read or has no variables */
export async function readText(options: TextSource, parts: Parts): Promise<EnvText> {
  const name = options.path ?? 'standard input'
  const bytes = options.path === null ? await parts.stdin.readAll() : await readBytes(options.path)
  const text = parse(bytes, options.dialect, name)
  if (text.entries.length > 0) return text
  throw generalError(`${printable(name)} has no variables`, 'Add lines such as NAME=value.')
}

/** @throws CliError general: the file cannot be read */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (cause) {
    const code = codeOf(cause)
    const next = 'Check the path, or use - for standard input.'
    throw generalError(`${printable(path)} cannot be read: ${WHY_UNREAD[code] ?? code}`, next)
  }
}

const WHY_UNREAD: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'you do not have permission to read it',
}

function parse(bytes: Uint8Array, dialect: Dialect, name: string): EnvText {
  try {
    const text = readImport(decodeText(bytes), dialect)
    const [problem] = text.problems
    if (problem) throw problem
    return text
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    const next = 'Nothing was imported. Fix the file, then run the same command again.'
    throw generalError(`${printable(name)}: ${error.message}`, next)
  }
}

/** Require that the texts have the variables that flags name.
 * @param name of the file
 * @throws CliError usage */
export function requireNamed(flagged: FlaggedNames, texts: readonly EnvText[], name: string): void {
  const known = new Set(texts.flatMap(({ entries }) => entries.map((entry) => entry.name)))
  for (const [flag, names] of Object.entries(flagged)) {
    const missing = names.filter((key) => !known.has(key))
    if (missing.length > 0) {
      throw usageError(
        `${missing.join(', ')} is not in ${printable(name)}`,
        `Check the names after --${flag}.`,
      )
    }
  }
}
