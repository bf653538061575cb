import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../start-error.ts'

/** Write a private file and rename it into place, so that a crash or a full disk leaves the whole content or what was
 * there before. */
export function writeDurably(file: string, content: string): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  write(file, draft, content)
}

/** Write a new private file, whole or not at all. No other file is changed or removed.
 * @throws StartError: the file exists */
export function createDurably(file: string, content: string): void {
  if (existsSync(file)) throw new StartError(`${file} exists already: name a new file`)
  write(file, `${file}.${randomUUID()}`, content)
}

function write(file: string, draft: string, content: string): void {
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
