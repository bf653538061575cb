import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDeviceSeed } from '@keyferry/crypto/device-key'
import { runtimeFolder, type StateParts } from './state-folder.ts'

const SEED_BYTES = 32

/** The seed of the key by which a server recognises this person's terminals until they log out, when they let it remember
 * an approval. It opens no value. Each server sees another key. Made at the first use.
 * @throws Error if it cannot be kept */
export function terminalKey(server: string, parts: StateParts): Uint8Array {
  const path = fileOf(server, parts)
  return readSeed(path) ?? makeSeed(path)
}

/** The seed if there is one, else null. */
export function existingTerminalKey(server: string, parts: StateParts): Uint8Array | null {
  return readSeed(fileOf(server, parts))
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

// Of two commands that start together, the first one's key counts.
function makeSeed(path: string): Uint8Array {
  const seed = createDeviceSeed()
  try {
    writeFileSync(path, seed, { mode: 0o600, flag: 'wx' })
    return seed
  } catch (error) {
    const existing = readSeed(path)
    if (existing === null) throw error
    return existing
  }
}

function fileOf(server: string, parts: StateParts): string {
  return join(runtimeFolder(parts), `key-${encodeURIComponent(new URL(server).host)}`)
}
