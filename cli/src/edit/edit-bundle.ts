import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeText, EnvError, type EnvText, FORMATS, misfits, readImport } from '@keyferry/contract/env'
import { announce, isAtTerminal } from '../base/announce.ts'
import { codeOf, EXIT, generalError } from '../base/cli-error.ts'
import type { Parts, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { openPrivateFolder } from '../base/private-folder.ts'
import { deliver } from '../delivery/deliver.ts'
import { atInterruption } from '../delivery/interruption.ts'
import type { ValuesRequest, Version } from '../delivery/values-request.ts'
import { importText, requireQuestions } from '../import/import-file.ts'
import type { ImportedText, ImportTextOptions } from '../import/import-options.ts'
import { writeValues } from '../output/write-values.ts'
import { findEditor } from './editor.ts'

/** Request the values of a bundle, let the person edit them, and store what they changed, added or removed.
 * @param storing how to store them
 * @returns the exit code · @throws CliError */
export async function editBundle(
  request: Omit<ValuesRequest, 'format' | 'via'>,
  storing: ImportTextOptions,
  parts: Parts,
): Promise<number> {
  await requireQuestions(storing, parts)
  const editor = findEditor(parts)
  const folder = openPrivateFolder(parts.env)
  try {
    const { values, versions } = await deliver(
      { ...request, format: FORMATS['.env'].asked, via: 'pull' },
      parts,
    )
    const file = editedFile(values, { folder, bundle: storing.bundleName, parts })
    const interruption = atInterruption(parts, () => editor.end().then(file.leave))
    try {
      const text = changed(
        await interruption.unlessEnding(editUntilReadable(file.path, editor, parts)),
        values,
      )
      const isChanged = text.entries.length + text.detach.length > 0
      if (!isChanged) write(parts, 'nothing changed')
      if (!isChanged || (await isStored(storing, { text, versions, path: file.path }, parts))) file.drop()
    } finally {
      interruption.takeBack()
      file.leave()
    }
  } finally {
    folder.remove()
  }
  return EXIT.ok
}

type Edited = {
  readonly text: ImportedText
  readonly versions: readonly Version[]
  readonly path: string
}

/** Store the changes.
 * @returns whether all of them are stored · @throws CliError */
async function isStored(
  storing: ImportTextOptions,
  { text, versions, path }: Edited,
  parts: Parts,
): Promise<boolean> {
  // At a question in the terminal, Ctrl-C ends this process at once.
  if (isAtTerminal(parts)) write(parts, `your text is in ${path} until it is stored`)
  const names = new Set([...text.entries.map(({ name }) => name), ...text.detach])
  const seen = versions.filter(({ name }) => names.has(name))
  return (await importText(storing, { ...text, seen }, parts)).length === 0
}

type Editor = ReturnType<typeof findEditor>

async function editUntilReadable(path: string, editor: Editor, parts: Parts): Promise<EnvText> {
  for (;;) {
    await editor.edit(path)
    const text = textOf(path)
    const [problem] = text.problems
    if (problem === undefined) return text
    parts.stderr.write(`keyferry: ${printable(problem.message)}\n`)
    // Without blocking, so that a signal finds us listening.
    const answer = await parts.keyboard.askUntil('Edit again? [Y/n] ', new AbortController().signal)
    if (answer === null || /^n/i.test(answer))
      throw generalError(`the file cannot be read: ${printable(problem.message)}`, 'Nothing was stored.')
  }
}

function textOf(path: string): EnvText {
  try {
    return readImport(decodeText(readFileSync(path)), 'dotenv')
  } catch (error) {
    if (error instanceof EnvError) return { entries: [], notes: [], problems: [error] }
    throw generalError(`the text cannot be read: ${codeOf(error)}`, 'Nothing was stored.')
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

type Editing = {
  readonly folder: ReturnType<typeof openPrivateFolder>
  readonly bundle: string
  readonly parts: Parts
}

/** The values as a text that a person edits in a file that only they can read. */
function editedFile(values: Values, { folder, bundle, parts }: Editing) {
  // JSON can express values for which programs that read .env files need different quotes.
  const format = misfits(FORMATS['.env'], values).length === 0 ? '.env' : 'json'
  // The name tells the editor what kind of text it is.
  const path = join(folder.path, `values${format === 'json' ? '.json' : format}`)
  const { text } = writeValues(format, values)
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  let isOver = false
  const drop = (): void => {
    isOver = true
    overwrite(path)
  }
  /** Drop the text, unless the person changed it: then say where it stays. */
  const leave = (): void => {
    if (!isWorthKeeping(path, text)) drop()
    if (isOver) return
    isOver = true
    folder.keep()
    const how = `To store it later: keyferry import ${path} --bundle ${bundle}. Only you can read the file; delete it when you no longer need it.`
    announce(parts, { event: 'text_kept', path }, `your text is in ${path}. ${how}`)
  }
  return { path, drop, leave }
}

function isWorthKeeping(path: string, before: string): boolean {
  try {
    const text = readFileSync(path).toString()
    return text !== before && text.trim() !== ''
  } catch {
    return false // the editor removed it
  }
}

// Not every folder is in memory. On most disks the old bytes are gone then.
function overwrite(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(readFileSync(path).length), { flag: 'r+' })
  } catch {
    // The editor removed the file.
  }
}
