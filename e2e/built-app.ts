import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const BUILD = join(import.meta.dirname, '../web/build-stale.ts')
const BUILT = join(import.meta.dirname, '../web/app/dist/index.html')

/** Before any test: build the browser app where it is missing or stale. In a separate process, because the test
 * runner's NODE_ENV would make another app of it. The fast tests open no page, so that a stale app does. */
export function setup({ config }: TestProject): void {
  if (config.env['APP'] === 'stale' && existsSync(BUILT)) return
  const { NODE_ENV: _, ...env } = process.env
  execFileSync(process.execPath, [BUILD], { env, stdio: ['ignore', 'ignore', 'inherit'] })
}
