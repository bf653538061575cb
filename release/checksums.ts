import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file that lists what a release consists of, in the form of `sha256sum`. */
export const CHECKSUMS = 'SHA256SUMS'

/** Write the checksums of these files, and of no others, into their folder. */
export function writeChecksums(folder: string, names: readonly string[]): void {
  const lines = names
    .toSorted()
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
  // In one step, because a server may be reading it.
  writeFileSync(join(folder, `${CHECKSUMS}.new`), lines.join(''))
  renameSync(join(folder, `${CHECKSUMS}.new`), join(folder, CHECKSUMS))
}
