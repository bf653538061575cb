import { renameSync, writeFileSync } from 'node:fs'
import { randomToken } from '@keyferry/crypto/token'

/** Write a file that only its owner can read, in one step: a reader sees the old text or the new one. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomToken()}`
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
  renameSync(draft, path)
}
