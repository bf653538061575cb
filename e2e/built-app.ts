import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const BUILD = join(import.meta.dirname, '../web/build-stale.ts')

/** Before any test: build the browser app where it is missing or stale. In a separate process, because the test
 * runner's NODE_ENV would make another app of it. */
export function setup(): void {
  const { NODE_ENV: _, ...env } = process.env
  execFileSync(process.execPath, [BUILD], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}
