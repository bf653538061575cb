import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

export const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Whether a real Chromium is here. Where it must be (CI), a missing one is a failure instead of a skip. */
export function hasBrowser(): boolean {
  if (existsSync(EXECUTABLE)) return true
  if (process.env['CI'] !== undefined) throw new Error(`no Chromium at ${EXECUTABLE}`)
  process.stderr.write(`SKIPPED: no Chromium at ${EXECUTABLE}; set CHROMIUM or install it\n`)
  return false
}

/** @param options `flags`: besides those of every test */
export async function launchBrowser({
  executablePath = EXECUTABLE,
  flags = [],
}: {
  executablePath?: string
  flags?: readonly string[]
} = {}): Promise<Browser> {
  return await chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
}
