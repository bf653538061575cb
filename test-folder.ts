import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-tests-'))

/** Every temporary file of a test run lies in one folder, which goes when the run ends. */
export function setup(): void {
  // PostgreSQL runs as an account of its own and has to reach its data through here.
  chmodSync(folder, 0o711)
  process.env['TMPDIR'] = folder
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
