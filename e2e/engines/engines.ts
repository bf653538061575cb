import { spawnSync } from 'node:child_process'
import { CHROMIUM } from './chromium.ts'
import type { Engine } from './engine.ts'
import { FIREFOX } from './firefox.ts'
import { WEBKIT } from './webkit.ts'

export const ENGINES: readonly Engine[] = [CHROMIUM, FIREFOX, WEBKIT]

/** Whether an engine is here. Where it must be (CI), a missing one is a failure instead of a skip. */
export function hasEngine({ name, programs }: Engine): boolean {
  const missing = Object.keys(programs).filter((debianPackage) => !isThere(programs[debianPackage] ?? ''))
  if (missing.length === 0) return true
  const problem = `no ${name}: install ${missing.join(', ')}`
  if (process.env['CI'] !== undefined) throw new Error(problem)
  process.stderr.write(`SKIPPED: ${problem}\n`)
  return false
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program]).status === 0
}
