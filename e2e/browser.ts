import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { hasPrograms } from '../plumbing/test/programs.ts'

/** The browser that people use. */
export const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

// The same engine of the same version, without windows, profiles and extensions: half the processor time.
const SHELL = '/usr/bin/chromium-headless-shell'

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
  return hasPrograms(EXECUTABLE)
}

/** @param options `executablePath`: absent for Chromium without a window, or EXECUTABLE where that is not installed;
 * `flags`: besides those of every test */
export async function launchBrowser({
  executablePath = process.env['CHROMIUM'] === undefined && existsSync(SHELL) ? SHELL : EXECUTABLE,
  flags = [],
}: {
  executablePath?: string
  flags?: readonly string[]
} = {}): Promise<Browser> {
  return await chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
}

let shared: Promise<Browser> | undefined

/** The browser of all test files of this process, which ends it. Each test opens a new context in it. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared
  if (running?.isConnected()) return running
  shared = launchBrowser()
  return await shared
}

/** Close what the tests of a file opened. The browser stays for the next file. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()))
}
