import { type EnvText, FORMATS, misfits, readImport } from '@keyferry/contract/env'
import { type CliError, EXIT, generalError } from '../base/cli-error.ts'
import type { Parts, Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { deliver } from '../delivery/deliver.ts'
import type { ValuesRequest } from '../delivery/values-request.ts'
import { importText, requireQuestions } from '../import/import-file.ts'
import type { ImportedText, ImportTextOptions } from '../import/import-options.ts'
import { writeValues } from '../output/write-values.ts'
import { editedText } from './edited-text.ts'

/** How to request the values, and how to store them. */
type EditOptions = {
  readonly request: Omit<ValuesRequest, 'format' | 'via'>
  readonly storing: ImportTextOptions
}

/** Request the values of a bundle, let the person edit them, and store what they changed, added or removed.
 * @returns the exit code · @throws CliError */
export async function editBundle({ request, storing }: EditOptions, parts: Parts): Promise<number> {
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
      const text = readImport(file.edit(), 'dotenv')
      const [problem] = text.problems
      if (problem === undefined) return text
      parts.stderr.write(`keyferry: ${printable(problem.message)}\n`)
      const answer = parts.keyboard.ask('Edit again? [Y/n] ')
      if (answer === null || /^n/i.test(answer)) throw unreadable(problem.message)
    }
  } finally {
    takeBack()
    file.close()
  }
}

function unreadable(why: string): CliError {
  return generalError(`the file cannot be read: ${printable(why)}`, 'Nothing was stored.')
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
