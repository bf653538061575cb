import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDeviceSeed } from '@keyferry/crypto/device-key'
import { publish } from '../base/output-file.ts'
import { runtimeFolder, type StateParts } from './state-folder.ts'

const SEED_BYTES = 32

/** The seed of the key by which a server recognises this person's terminals until they log out, when they let it
 * remember an approval. It opens no value. Each server sees another key. Made at the first use; null if none can be
 * kept here. */
export function terminalKey(server: string, parts: StateParts): Uint8Array | null {
  return ifKept(() => makeSeed(fileOf(server, parts)))
}

/** The seed if there is one, else null. */
export function existingTerminalKey(server: string, parts: StateParts): Uint8Array | null {
  return ifKept(() => readSeed(fileOf(server, parts)))
}

function ifKept(seed: () => Uint8Array | null): Uint8Array | null {
  try {
    return seed()
  } catch {
    return null // no folder to keep it in: every approval is asked for
  }
}

/** Delete the key: what a server remembers of it can never be used again. */
export function dropTerminalKey(server: string, parts: StateParts): void {
  rmSync(fileOf(server, parts), { force: true })
}

function readSeed(path: string): Uint8Array | null {
  try {
    const seed = readFileSync(path)
    return seed.length === SEED_BYTES ? Uint8Array.from(seed) : null
  } catch {
    return null // there is none
  }
}

// Of two commands that start together, the first one's key counts. The other sees a whole file or none.
function makeSeed(path: string): Uint8Array | null {
  const existing = readSeed(path)
  if (existing !== null) return existing
  const seed = createDeviceSeed()
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, seed, { mode: 0o600, flag: 'wx' })
    publish(draft, path)
    return seed
  } catch {
    return readSeed(path)
  } finally {
    rmSync(draft, { force: true })
  }
}

function fileOf(server: string, parts: StateParts): string {
  return join(runtimeFolder(parts), `key-${encodeURIComponent(new URL(server).host)}`)
}
