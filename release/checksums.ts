import { hash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minisignPublicKey, parseMinisignKey, signMinisign } from '@keyferry/crypto/minisign'
import { sumsComment } from '@keyferry/crypto/signed-sums'

/** The file that lists what a release consists of, in the form of `sha256sum`. */
export const CHECKSUMS = 'SHA256SUMS'

/** Its signature, in the format of minisign. */
export const SIGNATURE = `${CHECKSUMS}.minisig`

const VALID_DAYS = 366
const DAY_MS = 86_400_000

/** Write the checksums of these files, and of no others, into their folder. A signature of an older list is removed. */
export function writeChecksums(folder: string, names: readonly string[]): void {
  const lines = names
    .toSorted()
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
  rmSync(join(folder, SIGNATURE), { force: true })
  // In one step, because a server may be reading it.
  writeFileSync(join(folder, `${CHECKSUMS}.new`), lines.join(''))
  renameSync(join(folder, `${CHECKSUMS}.new`), join(folder, CHECKSUMS))
}

export type SigningKey = {
  /** A secret key of minisign without a password. */
  readonly keyFile: string
  /** What clients of this source accept. */
  readonly publisherKey: string | null
  readonly version: string
  readonly now: Date
}

/** Sign the checksums of a folder for this version; the signature counts for a year.
 * @throws Error: the key is another than the publisher's */
export function signChecksums(folder: string, { keyFile, publisherKey, version, now }: SigningKey): void {
  const key = parseMinisignKey(readFileSync(keyFile, 'utf8'))
  const publicKey = minisignPublicKey(key)
  if (publicKey !== publisherKey)
    throw new Error(`crypto/src/signed-sums.ts has the key ${publisherKey}, and this one is ${publicKey}`)
  const expires = new Date(now.getTime() + VALID_DAYS * DAY_MS).toISOString().slice(0, 10)
  const list = readFileSync(join(folder, CHECKSUMS))
  writeFileSync(join(folder, SIGNATURE), signMinisign(list, key, sumsComment({ version, expires })))
}
