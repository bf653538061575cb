import { spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'

// The databases of a whole run stay below this.
const ROOM_BYTES = 4 * 2 ** 30

const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'keyferry-tests-'))

/** All temporary files of a test run are in one folder, which is deleted when the run ends. */
export function setup(): void {
  // PostgreSQL runs under another account and has to reach its data through this folder.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
  // On exit, so that it also happens where a run cannot end in its own time.
  process.once('exit', tidy)
}

/** Running servers leave a file with their process id here; PostgreSQL has it in its data folder. If no test of a file
 * is selected, its hooks do not run, so this ends what the file started. */
function tidy(): void {
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

/** A folder in memory saves each commit of SQLite a wait for the disk. `null` where there is none with room, or where
 * it cannot run programs: tests make some. */
function folderInMemory(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < ROOM_BYTES) return null
  } catch {
    return null // not a Linux system
  }
  const made = mkdtempSync(join(MEMORY, 'keyferry-tests-'))
  const program = join(made, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(status === 0 ? program : made, { recursive: true })
  return status === 0 ? made : null
}
