import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeText, EnvError, type EnvText, FORMATS, misfits, readImport } from '@keyferry/contract/env'
import { EXIT, generalError } from '../base/cli-error.ts'
import type { Environment, Parts, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { openPrivateFolder } from '../base/private-folder.ts'
import { deliver } from '../delivery/deliver.ts'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { importText, requireQuestions } from '../import/import-file.ts'
import type { ImportedText, ImportTextOptions } from '../import/import-options.ts'
import { writeValues } from '../output/write-values.ts'

/** Request the values of a bundle, let the person edit them, and store what they changed, added or removed.
 * @param storing how to store them
 * @returns the exit code · @throws CliError */
export async function editBundle(
  request: Omit<ValuesRequest, 'format' | 'via'>,
  storing: ImportTextOptions,
  parts: Parts,
): Promise<number> {
  await requireQuestions(storing, parts)
  const format = FORMATS['.env'].asked
  const { values } = await deliver({ ...request, format, via: 'pull' }, parts)
  const text = changed(editUntilReadable(values, parts), values)
  if (text.detach.length > 0)
    tell(
      parts,
      `to remove from ${storing.bundleName}: ${text.detach.join(', ')}; the keys stay in the library`,
    )
  if (text.entries.length + text.detach.length > 0) return await importText(storing, text, parts)
  tell(parts, 'nothing changed')
  return EXIT.ok
}

function editUntilReadable(values: Values, parts: Parts): EnvText {
  // JSON holds values for which programs that read .env files need different quotes.
  const format = misfits(FORMATS['.env'], values).length === 0 ? '.env' : 'json'
  const file = editedText(
    writeValues(format, values).text,
    `values${format === 'json' ? '.json' : format}`,
    parts.env,
  )
  const takeBack = parts.atInterrupt(file.close)
  try {
    for (;;) {
      const text = textOf(file.edit())
      const [problem] = text.problems
      if (problem === undefined) return text
      parts.stderr.write(`keyferry: ${printable(problem.message)}\n`)
      const answer = parts.keyboard.ask('Edit again? [Y/n] ')
      if (answer === null || /^n/i.test(answer))
        throw generalError(`the file cannot be read: ${printable(problem.message)}`, 'Nothing was stored.')
    }
  } finally {
    takeBack()
    file.close()
  }
}

function textOf(bytes: Uint8Array): EnvText {
  try {
    return readImport(decodeText(bytes), 'dotenv')
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    return { entries: [], notes: [], problems: [error] }
  }
}

function changed({ entries, notes }: EnvText, before: Values): ImportedText {
  const left = new Set(entries.map(({ name }) => name))
  // An empty file cancels the edit, as for a commit message. It does not remove every name.
  if (left.size === 0 && before.size > 0)
    throw generalError('the file is empty', 'Nothing was changed. keyferry unset removes names.')
  return {
    notes,
    entries: entries.filter(({ name, value }) => before.get(name) !== value),
    detach: [...before.keys()].filter((name) => !left.has(name)),
  }
}

function tell({ stderr }: Parts, text: string): void {
  stderr.write(`keyferry: ${text}\n`)
}

/** A text that a person edits in a file that only they can read. The file is gone when `close` was called, or this
 * process ends.
 * @param fileName tells the editor what kind of text it is */
function editedText(text: string, fileName: string, env: Environment) {
  const folder = openPrivateFolder(env)
  const path = join(folder.path, fileName)
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  return {
    /** Open the editor, wait until it ends, and read what the file holds then.
     * @throws CliError general: the editor cannot be started, or it ended with an error */
    edit: (): Uint8Array => {
      runEditor(path, env)
      return readFileSync(path)
    },
    close: (): void => {
      overwrite(path)
      folder.remove()
    },
  }
}

// As git does: VISUAL and EDITOR are shell commands, which may have arguments.
function runEditor(path: string, env: Environment): void {
  const editor = env['VISUAL'] || env['EDITOR'] || (process.platform === 'win32' ? 'notepad' : 'vi')
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${path}"`, { stdio: 'inherit', shell: true })
      : spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  if (error === undefined && status === 0) return
  throw generalError(
    `the editor ${editor} ended with ${error?.message ?? `status ${status}`}`,
    'Nothing was stored. Set EDITOR to a command that waits until you close the file.',
  )
}

// Not every folder is in memory. On most disks the old bytes are gone then.
function overwrite(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(readFileSync(path).length), { flag: 'r+' })
  } catch {
    // The editor removed the file.
  }
}
