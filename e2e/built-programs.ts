import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { isStale } from '../web/stale.ts'

const ROOT = join(import.meta.dirname, '..')
const at = (...places: string[]) => places.map((place) => join(ROOT, place))

const SHARED = at('contract/src', 'crypto/src', 'plumbing/src', 'package-lock.json')
const CLIENT = at('cli/bin', 'cli/src', 'cli/build.ts', 'cli/package.json')

/** Before the tests that start programs: build these where they are missing or stale. */
export async function setup({ config }: TestProject): Promise<void> {
  if (config.env['APP'] === 'stale') return
  execFileSync(process.execPath, [join(ROOT, 'release/server-stale.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (isStale(join(ROOT, 'cli/dist/bin/keyferry.js'), [...SHARED, ...CLIENT]))
    execFileSync(process.execPath, [join(ROOT, 'cli/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.env['PROGRAMS'] = 'built'
}
