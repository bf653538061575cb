import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { encryptToAge } from '@keyferry/crypto/age'
import { CryptoError } from '@keyferry/crypto/crypto-error'
import { z } from 'zod'
import type { Settings } from '../settings/setting-table.ts'
import { listOf } from '../settings/setting-values.ts'
import { StartError } from '../start-error.ts'
import { createDurably, writeDurably } from './durable-file.ts'
import { readRootKeyFile, rootKeyFile, rootKeysIn } from './root-key-file.ts'

const Record = z.object({ root_keys: z.array(z.string()), made_at: z.string() })

/** The file with the root keys of these settings.
 * @throws StartError: ROOT_KEY contains them */
export function operatedKeyFile(settings: Settings): string {
  if (settings.ROOT_KEY !== undefined)
    throw new StartError('ROOT_KEY is set: put the key into a file, and set ROOT_KEY_FILE')
  return settings.ROOT_KEY_FILE ?? rootKeyFile(resolve(settings.DATA_DIR))
}

/** Seal the root keys of a file to people's age keys, and remember that there is a kit for them.
 * @param to the new file of the kit; null: only return it
 * @returns the kit, as `age --decrypt` reads it
 * @throws StartError: a recipient is no public key of age, the keeper does not give the key, or there is such a file */
export async function makeRecoveryKit(file: string, recipients: string, to: string | null): Promise<string> {
  if (to === resolve(recordOf(file))) throw new StartError(`${to} says which kit there is: name another file`)
  const keys = readRootKeyFile(file, null)
  const kit = await sealed(`${keys.join('\n')}\n`, listOf(recipients))
  if (to !== null) createDurably(to, kit)
  const record = { root_keys: rootKeysIn(file).map(({ id }) => id), made_at: new Date().toISOString() }
  writeDurably(recordOf(file), `${JSON.stringify(record)}\n`)
  return kit
}

async function sealed(text: string, recipients: readonly string[]): Promise<string> {
  try {
    return await encryptToAge(Buffer.from(text), recipients)
  } catch (error) {
    if (error instanceof CryptoError) throw new StartError(error.message, { cause: error })
    throw error
  }
}

/** Why the loss of the keeper would lose the data: its key is in no recovery kit. Null: it is, or the key has no
 * keeper. */
export function missingKit(file: string): string | null {
  const [first] = rootKeysIn(file)
  if (first === undefined || first.place === 'file') return null
  const made = madeKit(file)
  if (made === null) return 'there is no recovery kit for the root key'
  if (made.root_keys.includes(first.id)) return null
  return `the recovery kit of ${made.made_at.slice(0, 10)} is older than the root key`
}

function madeKit(file: string): z.output<typeof Record> | null {
  try {
    return Record.parse(JSON.parse(readFileSync(recordOf(file), 'utf8')))
  } catch {
    return null
  }
}

function recordOf(file: string): string {
  return `${file}.kit`
}
