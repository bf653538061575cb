import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatRootKey, generateRootKey, parseRootKey, type RootKey } from '@keyferry/crypto/root-key'
import { areRootKeys, isKeeperId, listOf } from '../settings/setting-values.ts'
import { StartError } from '../start-error.ts'
import { writeDurably } from './durable-file.ts'
import { keeperOf } from './key-keeper.ts'

export type RootKeys = readonly [string, ...string[]]

/** Where a root key is: `file`, or the id of its keeper. */
export type RootKeyPlace = string

/** A line of the file: base64, or the key as its keeper wrapped it. */
type Line = { readonly text: string; readonly place: RootKeyPlace; readonly id: string }

const KEPT = /^(\S+) ([0-9a-f]{16}) (\S+)$/

/** Read root keys from a file, one per line. The first one wraps tenant keys.
 * @param from where the first has to be; null: anywhere
 * @throws StartError the file cannot be read, contains something else, or its keeper does not unwrap the key */
export function readRootKeyFile(file: string, from: RootKeyPlace | null): RootKeys {
  const lines = linesOf(file)
  if (from !== null) requirePlace(file, lines[0].place, from)
  const [first, ...others] = lines
  return [keyIn(first), ...others.map(keyIn)]
}

/** What a file says about its root keys, without a call to a keeper. */
export function rootKeysIn(file: string): readonly Pick<Line, 'place' | 'id'>[] {
  return linesOf(file)
}

/** The default file for the root key of an embedded database. */
export function rootKeyFile(folder: string): string {
  return join(folder, 'root.key')
}

/** Put a new root key first in the file. If an interrupted rotation has already done so, nothing changes. The caller
 * has locked the folder.
 * @throws StartError: an interrupted rotation goes to another place */
export function addRootKey(file: string, to: RootKeyPlace): void {
  const [first, ...others] = linesOf(file)
  if (others.length === 0) writeDurably(file, `${newLine(to)}\n${first.text}\n`)
  else if (first.place !== to)
    throw new StartError(
      `a rotation is unfinished: first run keyferry-server rotate-root-key --to ${first.place}`,
    )
}

/** Remove all root keys but the first from the file. The caller has locked the folder. */
export function dropOldRootKeys(file: string): void {
  writeDurably(file, `${linesOf(file)[0].text}\n`)
}

/** Create the root key of an embedded database at its first start. The caller has locked the folder.
 * @returns whether it was created now
 * @throws StartError the file is missing although its database exists */
export function makeRootKeyOnce(folder: string, from: RootKeyPlace): boolean {
  const file = rootKeyFile(folder)
  if (existsSync(file)) return false
  if (existsSync(join(folder, 'keyferry.db')))
    throw new StartError(`${file} is missing: restore the root key that this database was created with`)
  writeDurably(file, `${newLine(from)}\n`)
  return true
}

function requirePlace(file: string, found: RootKeyPlace, from: RootKeyPlace): void {
  if (found === from) return
  if (from === 'file')
    throw new StartError(`the root key in ${file} is with a keeper: set ROOT_KEY_FROM=${found}`)
  throw new StartError(
    `ROOT_KEY_FROM is ${from}, but the root key in ${file} is not there: run keyferry-server rotate-root-key --to ${from}`,
  )
}

function newLine(to: RootKeyPlace): string {
  const key = generateRootKey()
  if (to === 'file') return formatRootKey(key)
  const wrapped = Buffer.from(keeperOf(to).wrap(key.bytes, contextOf(key.id))).toString('base64')
  const line = { text: `${to} ${key.id} ${wrapped}`, place: to, id: key.id }
  // A key that its keeper does not give back must never wrap anything.
  keyIn(line)
  return line.text
}

function linesOf(file: string): readonly [Line, ...Line[]] {
  const texts = listOf(contentOf(file))
  const [first, ...others] = texts.map((text) => lineOf(text, file))
  if (first === undefined) throw noKey(file)
  return [first, ...others]
}

function lineOf(text: string, file: string): Line {
  const [, place = '', id = ''] = KEPT.exec(text) ?? []
  if (isKeeperId(place)) return { text, place, id }
  if (!areRootKeys([text])) throw noKey(file)
  return { text, place: 'file', id: parseRootKey(text).id }
}

function keyIn({ text, place, id }: Line): string {
  if (place === 'file') return text
  const wrapped = Buffer.from(KEPT.exec(text)?.[3] ?? '', 'base64')
  const found = rootKeyOf(keeperOf(place).unwrap(wrapped, contextOf(id)))
  if (found?.id !== id) throw new StartError(`${place} unwrapped something else than the root key ${id}`)
  return formatRootKey(found)
}

function rootKeyOf(bytes: Uint8Array): RootKey | null {
  const text = Buffer.from(bytes).toString('base64')
  return areRootKeys([text]) ? parseRootKey(text) : null
}

function contextOf(id: string): string {
  return `keyferry root key ${id}`
}

function noKey(file: string): StartError {
  return new StartError(`ROOT_KEY_FILE ${file} does not hold base64 of 32 random bytes, or a key of a keeper`)
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StartError(`ROOT_KEY_FILE ${file} cannot be read`, { cause })
  }
}
