import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedServer, startScriptedServer } from '../cli/test/scripted-server.ts'
import { buildExecutable } from '../release/executable.ts'
import { targetHere } from '../release/targets.ts'
import { type Benchmark, type Measurement, median, rounded, shown } from './measurement.ts'

const CLI = join(import.meta.dirname, '../cli')
const PUBLISHED = [process.execPath, join(CLI, 'dist/bin/keyferry.js')]
const DOTENVX = '@dotenvx/dotenvx@2.38.2'
const ROUNDS_PER_TURN = 4
const VALUES = Object.fromEntries(
  Array.from({ length: 100 }, (_, at) => [`APP_SETTING_${at}`, `value ${at} ${'x'.repeat(20)}`]),
)
const RUN = ['run', '--no-open', '--quiet', '--', 'true']

type Contender = { readonly what: string; readonly argv: readonly string[]; readonly target: number | null }

/** How long the client takes to start, in multiples of Node's own start with nothing to do; `run` gets 100
 * values from a server that has approved already; the server's time is subtracted. Beside it `dotenvx run`. Output goes
 * to pipes. */
export const clientStart: Benchmark = async ({ turns }) => {
  execFileSync(process.execPath, [join(CLI, 'build.ts')])
  const server = await startScriptedServer({ values: VALUES })
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-client-start-'))
  try {
    return await measure([...contenders(), ...dotenvx(folder)], turns * ROUNDS_PER_TURN, server)
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function contenders(): Contender[] {
  const published = [
    { what: 'keyferry --help', argv: [...PUBLISHED, '--help'], target: 1.3 },
    { what: 'keyferry run, 100 values', argv: [...PUBLISHED, ...RUN], target: 2 },
  ]
  const target = targetHere()
  if (target === null) return published
  const executable = buildExecutable(target)
  const single = [
    { what: 'single executable, --help', argv: [executable, '--help'], target: 1 },
    { what: 'single executable, run, 100 values', argv: [executable, ...RUN], target: null },
  ]
  return [...published, ...single]
}

// Installed for the moment: nothing here needs it.
function dotenvx(folder: string): Contender[] {
  try {
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, DOTENVX], {
      stdio: 'ignore',
    })
  } catch {
    process.stderr.write(`  ${DOTENVX} cannot be installed, so it is not compared\n`)
    return []
  }
  const file = join(folder, '.env')
  writeFileSync(file, 'GREETING="hello"\n')
  const bin = join(folder, 'node_modules/@dotenvx/dotenvx/src/cli/dotenvx.js')
  return [
    {
      what: 'dotenvx run',
      argv: [process.execPath, bin, 'run', '--quiet', '-f', file, '--', 'true'],
      target: null,
    },
  ]
}

async function measure(
  all: readonly Contender[],
  rounds: number,
  server: ScriptedServer,
): Promise<readonly Measurement[]> {
  const times = new Map(all.map(({ what }) => [what, { ms: [] as number[], ratios: [] as number[] }]))
  for (const { argv } of all) await timed(argv, server) // fills the caches
  for (let round = 0; round < rounds; round++) {
    const nothingMs = await timed([process.execPath, '-e', '0'], server)
    for (const { what, argv } of all) {
      const ms = await timed(argv, server)
      times.get(what)?.ms.push(ms)
      times.get(what)?.ratios.push(ms / nothingMs)
    }
  }
  return all.map(({ what, target }) => {
    const { ms = [], ratios = [] } = times.get(what) ?? {}
    return lineOf({ what, target, ms: median(ms), ratio: median(ratios) })
  })
}

function lineOf(line: { what: string; target: number | null; ms: number; ratio: number }): Measurement {
  const figures = { what: line.what, subject: `${rounded(line.ms)} ms`, baseline: 'node -e 0' }
  const figure = `× ${line.ratio.toFixed(2)}`
  if (line.target === null) return shown(figure, figures)
  return { ...figures, figure, target: `≤ × ${line.target}`, isMet: line.ratio <= line.target }
}

async function timed([file = '', ...args]: readonly string[], server: ScriptedServer): Promise<number> {
  const busyBefore = server.busyMs()
  const startedAt = performance.now()
  const env = { ...process.env, KEYFERRY_SERVER: server.url }
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}`)
  return performance.now() - startedAt - (server.busyMs() - busyBefore)
}
