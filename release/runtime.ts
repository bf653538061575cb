import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BUN_VERSION, type ReleaseTarget, TARGETS } from './targets.ts'

/** The runtime of a target, fetched from npm on first use and checked against its integrity.
 * @param folder keeps runtimes between runs
 * @returns the path of the program
 * @throws Error: it cannot be fetched, or it is not what `targets.ts` names */
export function runtimeProgram(target: ReleaseTarget, folder: string): string {
  const { program } = TARGETS[target]
  const place = join(folder, `${target}-${BUN_VERSION}`)
  if (!existsSync(place)) fetchRuntime(target, { folder, place })
  return join(place, program)
}

// Unpacked elsewhere first, so that a broken run leaves no half of a runtime.
function fetchRuntime(target: ReleaseTarget, { folder, place }: { folder: string; place: string }): void {
  mkdirSync(folder, { recursive: true })
  const temporary = mkdtempSync(join(folder, 'new-'))
  try {
    const archive = join(temporary, packed(TARGETS[target].package, temporary))
    requireIntegrity(archive, TARGETS[target])
    execFileSync('tar', ['-xzf', archive, '-C', temporary])
    rmSync(archive)
    renameSync(temporary, place)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

// npm runs no install script for this.
function packed(name: string, folder: string): string {
  const args = ['pack', '--silent', '--prefer-offline', '--pack-destination', folder, name]
  return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

function requireIntegrity(archive: string, expected: { package: string; integrity: string }): void {
  const found = `sha512-${hash('sha512', readFileSync(archive), 'base64')}`
  if (found !== expected.integrity)
    throw new Error(`${expected.package} has the integrity ${found}, not ${expected.integrity}`)
}
