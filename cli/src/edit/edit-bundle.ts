import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeText, EnvError, type EnvText, FORMATS, misfits, readImport } from '@keyferry/contract/env'
import { announce } from '../base/announce.ts'
import { EXIT, generalError } from '../base/cli-error.ts'
import type { Environment, Parts, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { openPrivateFolder } from '../base/private-folder.ts'
import { deliver } from '../delivery/deliver.ts'
import type { ValuesRequest, Version } from '../delivery/values-request.ts'
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
  const { values, versions } = await deliver({ ...request, format, via: 'pull' }, parts)
  const file = editedFile(values, parts.env)
  const takeBack = parts.atInterrupt(file.close)
  try {
    const text = changed(editUntilReadable(file, parts), values)
    takeBack()
    if (text.entries.length + text.detach.length > 0) await store(storing, { text, versions, file }, parts)
    else write(parts, 'nothing changed')
  } finally {
    takeBack()
    file.close()
  }
  return EXIT.ok
}

type Edited = {
  readonly text: ImportedText
  readonly versions: readonly Version[]
  readonly file: ReturnType<typeof editedFile>
}

/** Store the changes. If not all of them are stored, the person keeps their text. */
async function store(
  storing: ImportTextOptions,
  { text, versions, file }: Edited,
  parts: Parts,
): Promise<void> {
  const { entries, detach } = text
  if (detach.length > 0)
    write(parts, `to remove from ${storing.bundleName}: ${detach.join(', ')}; the keys stay in the library`)
  const keep = (): void => {
    const path = file.keep()
    const next = `keyferry import ${path} --bundle ${storing.bundleName}`
    const how = `To store it later: ${next}. Only you can read the file; delete it when you no longer need it.`
    announce(parts, { event: 'text_kept', path }, `your text is in ${path}. ${how}`)
  }
  const takeBack = parts.atInterrupt(keep)
  const names = new Set([...entries.map(({ name }) => name), ...detach])
  const seen = versions.filter(({ name }) => names.has(name))
  try {
    if ((await importText(storing, { ...text, seen }, parts)).length > 0) keep()
  } catch (error) {
    keep()
    throw error
  } finally {
    takeBack()
  }
}

function editUntilReadable(file: Edited['file'], parts: Parts): EnvText {
  for (;;) {
    const text = textOf(file.edit())
    const [problem] = text.problems
    if (problem === undefined) return text
    parts.stderr.write(`keyferry: ${printable(problem.message)}\n`)
    const answer = parts.keyboard.ask('Edit again? [Y/n] ')
    if (answer === null || /^n/i.test(answer))
      throw generalError(`the file cannot be read: ${printable(problem.message)}`, 'Nothing was stored.')
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

function write({ stderr }: Parts, text: string): void {
  stderr.write(`keyferry: ${text}\n`)
}

/** The values as a text that a person edits in a file that only they can read. The file is gone when `close` was
 * called, or this process ends, unless it is kept. */
function editedFile(values: Values, env: Environment) {
  // JSON holds values for which programs that read .env files need different quotes.
  const format = misfits(FORMATS['.env'], values).length === 0 ? '.env' : 'json'
  const folder = openPrivateFolder(env)
  // The name tells the editor what kind of text it is.
  const path = join(folder.path, `values${format === 'json' ? '.json' : format}`)
  writeFileSync(path, writeValues(format, values).text, { mode: 0o600, flag: 'wx' })
  let isKept = false
  return {
    /** @returns where the file stays */
    keep: (): string => {
      isKept = true
      folder.keep()
      return path
    },
    /** Open the editor, wait until it ends, and read what the file holds then.
     * @throws CliError general: the editor cannot be started, or it ended with an error */
    edit: (): Uint8Array => {
      runEditor(path, env)
      return readFileSync(path)
    },
    close: (): void => {
      if (isKept) return
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
