import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SHIPPED = join(import.meta.dirname, '../../deploy/keepers')

/** Put a keeper of `deploy/keepers` into a folder, with its settings.
 * @returns its id */
export function installKeeper(folder: string, name: string, settings: readonly string[]): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of [name, 'keeper.sh']) {
    copyFileSync(join(SHIPPED, file), join(folder, file))
    chmodSync(join(folder, file), 0o755)
  }
  writeFileSync(join(folder, 'keeper.conf'), `${settings.join('\n')}\n`)
  return `command:${join(folder, name)}`
}

/** A new identity of age in a file, and its public key. */
export function newIdentity(file: string): string {
  execFileSync('age-keygen', ['-o', file], { stdio: 'ignore' })
  return /public key: (\S+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
}

/** The keeper of `deploy/keepers/age` with an identity in its folder. */
export function ageKeeper(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const identity = join(folder, 'identity')
  return installKeeper(folder, 'age', [`RECIPIENT=${newIdentity(identity)}`, `IDENTITY=${identity}`])
}
