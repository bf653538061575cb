import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-tests-'))

/** Every temporary file of a test run lies in one folder, which goes when the run ends. */
export function setup(): void {
  // PostgreSQL runs as an account of its own and has to reach its data through here.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
}

/** Servers leave the number of their process here while they run, PostgreSQL in the folder of its data. Where no test of
 * a file is chosen its hooks do not run, and nobody else ends what it started. */
export function teardown(): void {
  for (const file of globSync('{*.pid,*/postmaster.pid}', { cwd: folder })) {
    const pid = pidIn(join(folder, file))
    if (pid !== null) spawnSync('kill', ['-KILL', `${pid}`])
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

function pidIn(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return pid > 0 ? pid : null
  } catch {
    return null // it has just ended by itself
  }
}
