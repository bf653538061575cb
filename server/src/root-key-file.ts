import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { areRootKeys, isNotEmpty, listOf } from './setting-values.ts'
import { StartError } from './start-error.ts'

export type RootKeys = readonly [string, ...string[]]

/** Read root keys from a file, one per line. The first one wraps tenant keys.
 * @throws StartError the file cannot be read, or holds something else */
export function readRootKeyFile(file: string): RootKeys {
  const keys = listOf(contentOf(file))
  if (!isNotEmpty(keys) || !areRootKeys(keys))
    throw new StartError(`ROOT_KEY_FILE ${file} does not hold base64 of 32 random bytes`)
  return keys
}

/** The default file for the root key of an embedded database. */
export function rootKeyFile(folder: string): string {
  return join(folder, 'root.key')
}

/** Put a new root key first in the file. If an interrupted rotation has already done so, nothing changes. The caller
 * holds the folder's lock.
 * @returns all keys of the file */
export function addRootKey(folder: string): RootKeys {
  const keys = readRootKeyFile(rootKeyFile(folder))
  if (keys.length > 1) return keys
  const all: RootKeys = [formatRootKey(generateRootKey()), ...keys]
  writeDurably(rootKeyFile(folder), `${all.join('\n')}\n`)
  return all
}

/** Remove all root keys but the first from the file. The caller holds the folder's lock. */
export function dropOldRootKeys(folder: string): void {
  const [first] = readRootKeyFile(rootKeyFile(folder))
  writeDurably(rootKeyFile(folder), `${first}\n`)
}

/** The root keys of an embedded database, created at the first start. The caller holds the folder's lock.
 * @throws StartError the file is missing although its database exists */
export function rootKeysOfFolder(folder: string): { keys: RootKeys; isNew: boolean } {
  const file = rootKeyFile(folder)
  if (existsSync(file)) return { keys: readRootKeyFile(file), isNew: false }
  if (existsSync(join(folder, 'keyferry.db')))
    throw new StartError(`${file} is missing: restore the root key that this database was created with`)
  const key = formatRootKey(generateRootKey())
  writeDurably(file, `${key}\n`)
  return { keys: [key], isNew: true }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartError(`ROOT_KEY_FILE ${file} cannot be read`, { cause })
  }
}

// Write a new file and rename it, so that a crash leaves either the whole content or none.
function writeDurably(file: string, content: string): void {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', 0o600)
  writeSync(descriptor, content)
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(draft, file)
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
