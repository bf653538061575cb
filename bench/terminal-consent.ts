import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CarelessApprover, returnedSecret } from '../e2e/lure.ts'
import { type ManyAddresses, manyAddresses } from '../e2e/many-addresses.ts'
import { type ScriptedBrowser, scriptedBrowser } from '../e2e/scripted-browser.ts'
import { type ApiProcess, startApi, temporaryFolder } from './contenders.ts'
import { type Library, makeBundle } from './library.ts'
import { type Benchmark, median, percentile, rounded, within } from './measurement.ts'

const CLI = join(import.meta.dirname, '../cli')
const KEYFERRY = [process.execPath, join(CLI, 'dist/bin/keyferry.js')]
const VALUES = 10
const CLICK_MS = 150
const ADDED_MS = 60
const SAMPLES_PER_TURN = 20

type Place = {
  readonly api: ApiProcess
  readonly proxy: ManyAddresses
  readonly browser: ScriptedBrowser
  readonly folder: string
  readonly library: Library & { readonly bundle: string }
}

/** The real client and a server on this machine: from the click on Approve, over loopback, until the program has its
 * values; and what a remembered approval adds to the start of a program. Calls go through a proxy that gives each
 * another address. */
export const terminalConsent: Benchmark = async ({ turns }) => {
  execFileSync(process.execPath, [join(CLI, 'build.ts')])
  const folder = temporaryFolder()
  const [api, proxy, browser] = await Promise.all([startApi(), manyAddresses(), scriptedBrowser(folder)])
  proxy.leadTo(api.address)
  mkdirSync(join(folder, 'runtime'))
  const bundle = 'consent'
  const library = { ...(await makeBundle(api.owner, bundle, VALUES)), bundle }
  const place = { api, proxy, browser, folder, library }
  try {
    const clicks: number[] = []
    for (let sample = 0; sample < turns * SAMPLES_PER_TURN; sample++) clicks.push(await clicked(place))
    return [...clickLines(clicks), await remembered(place, turns)]
  } finally {
    proxy.close()
    await api.stop('SIGKILL')
  }
}

function clickLines(clicks: readonly number[]) {
  const subject = `p50 ${rounded(percentile(clicks, 0.5))} ms, slowest ${rounded(Math.max(...clicks))} ms`
  const figures = { subject, baseline: `${clicks.length} times` }
  const value = percentile(clicks, 0.99)
  return [
    within(
      { value, bound: CLICK_MS, unit: 'ms' },
      { what: 'click to values in the program, by loopback, p99', ...figures },
    ),
  ]
}

/** @returns milliseconds from the approval's call until the program printed a value */
async function clicked(place: Place): Promise<number> {
  const { library, browser } = place
  const [name = ''] = library.names
  const child = start(place, ['--ask', '--', 'printenv', name])
  const { requestId, bringBack } = await browser.opened()
  const printed = once(child.stdout, 'data').then(() => performance.now())
  const ended = once(child, 'exit')
  const startedAt = performance.now()
  await bringBack(returnedSecret(await approve(place, requestId)))
  const atMs = await printed
  await ended
  return atMs - startedAt
}

/** Let the terminal repeat a command. */
async function remember(place: Place, words: readonly string[]): Promise<void> {
  const ended = once(start(place, words), 'exit')
  const { requestId, bringBack } = await place.browser.opened()
  await bringBack(returnedSecret(await approve(place, requestId, { remember_hours: 8 })))
  await ended
}

async function approve({ api, library }: Place, requestId: string, more: { remember_hours?: number } = {}) {
  const { address, owner } = api
  return await new CarelessApprover(address, owner.headers).approve(requestId, {
    bundle: library.bundleId,
    keys: library.names,
    release: 'loopback',
    ...more,
  })
}

/** Runs of a remembered approval, in turns with a start of Node that does nothing. */
async function remembered(place: Place, turns: number) {
  const runs: number[] = []
  const nothing: number[] = []
  for (let turn = 0; turn < turns; turn++) {
    const words = ['--', 'true', String(turn)] // another command, because an approval has 50 uses
    await remember(place, words)
    for (let sample = 0; sample < SAMPLES_PER_TURN; sample++) {
      nothing.push(await timed(() => spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })))
      runs.push(await timed(() => start(place, words)))
    }
  }
  const [value, without] = [median(runs), median(nothing)]
  return within(
    { value: value - without, bound: ADDED_MS, unit: 'ms' },
    {
      what: 'a remembered run, what it adds to node -e 0',
      subject: `${rounded(value)} ms`,
      baseline: `${rounded(without)} ms node -e 0`,
    },
  )
}

function start({ proxy, browser, folder, library }: Place, words: readonly string[]) {
  const { PATH, HOME } = process.env
  const [program = '', ...before] = KEYFERRY
  const state = { XDG_RUNTIME_DIR: join(folder, 'runtime'), XDG_STATE_HOME: join(folder, 'state') }
  return spawn(program, [...before, 'run', '--quiet', library.bundle, ...words], {
    cwd: folder,
    env: { PATH, HOME, ...state, KEYFERRY_SERVER: proxy.url, BROWSER: browser.program },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function timed(begin: () => ReturnType<typeof spawn>): Promise<number> {
  const startedAt = performance.now()
  const [code] = await once(begin(), 'exit')
  if (code !== 0) throw new Error(`ended with ${String(code)}`)
  return performance.now() - startedAt
}
