import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-tests-'))

/** All temporary files of a test run are in one folder, which is deleted when the run ends. */
export function setup(): void {
  // PostgreSQL runs under another account and has to reach its data through this folder.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
}

/** Running servers leave a file with their process id here; PostgreSQL has it in its data folder. If no test of a file is
 * selected, its hooks do not run, so this ends what the file started. */
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
