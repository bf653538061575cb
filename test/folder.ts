import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { endRun, processorSeconds, startedThrough } from './processes.ts'

const WATCHDOG = join(import.meta.dirname, 'watchdog.ts')

const MEMORY = '/dev/shm'

// The databases of a whole run stay below this.
const ROOM_BYTES = 4 * 2 ** 30

const folder = folderInMemory() ?? mkdtempSync(join(tmpdir(), 'keyferry-tests-'))

/** All temporary files of a test run are in one folder. It is deleted when the run ends or is stopped, and the programs
 * that still run are ended. */
export function setup(): void {
  // PostgreSQL runs under another account and has to reach its data through this folder.
  chmodSync(folder, 0o711)
  const through = startedThrough()
  const words = [WATCHDOG, folder, ...through.map(String)]
  spawn(process.execPath, words, { detached: true, stdio: 'ignore' }).unref()
  process.env['TMPDIR'] = folder
  process.env['PATH'] += `${delimiter}${join(folder, 'no-programs')}`
  // Vitest would wait for the tests that run.
  process.once('SIGINT', () => process.exit(130))
  // On exit, so that it also happens where a run cannot end in its own time.
  process.once('exit', () => {
    process.stdout.write(`\n${Math.round(processorSeconds(folder, through))} processor seconds\n`)
    endRun(folder)
  })
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
