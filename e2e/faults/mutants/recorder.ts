import childProcess from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { afterAll, expect } from 'vitest'

const STARTS = ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync'] as const

const IN_PAGE = 'globalThis.__ran = (id) => (__seen[id] ||= (__ranInPage(id), 1)); globalThis.__seen = {}'

type Worker = { recorded?: Recorded }

type Recorded = { file: string; ids: Set<number> }

/** Record which functions the test file of now calls: in this process, in programs that it starts, and in pages that it
 * opens. The copy of the product has a call of `__ran` in each function. */
export function record(folder: string): void {
  const worker = globalThis as unknown as Worker
  const file = join(folder, encodeURIComponent(expect.getState().testPath ?? ''))
  const ids = new Set<number>()
  Reflect.set(globalThis, '__ran', (id: number) => ids.add(id))
  process.env['RAN_FILE'] = file
  process.env['NODE_OPTIONS'] = `--import=${join(import.meta.dirname, 'ran.ts')}`
  if (!worker.recorded) {
    recordPrograms()
    recordPages(worker)
  }
  worker.recorded = { file, ids }
  afterAll(() => appendFileSync(file, [...ids].map((id) => `${id}\n`).join('')))
}

// Some tests hand over an environment of their own.
function recordPrograms(): void {
  for (const name of STARTS) {
    const recorded = new Proxy(childProcess[name], {
      apply: (start, self, words: unknown[]) => Reflect.apply(start, self, words.map(withRecorder)),
    })
    Reflect.set(childProcess, name, recorded)
  }
  syncBuiltinESMExports()
}

function withRecorder(word: unknown): unknown {
  if (typeof word !== 'object' || word === null || !('env' in word)) return word
  const { RAN_FILE, NODE_OPTIONS } = process.env
  return { ...word, env: { RAN_FILE, NODE_OPTIONS, ...(word.env as NodeJS.ProcessEnv) } }
}

// All test files of a worker use one browser.
function recordPages(worker: Worker): void {
  const launch = chromium.launch.bind(chromium)
  const recordContext = async (context: BrowserContext) => {
    await context.exposeBinding('__ranInPage', (_, id: number) => worker.recorded?.ids.add(id))
    await context.addInitScript(IN_PAGE)
    return context
  }
  chromium.launch = async (options) => {
    const browser = await launch(options)
    const newContext = browser.newContext.bind(browser)
    browser.newContext = async (of) => await recordContext(await newContext(of))
    return browser
  }
}
