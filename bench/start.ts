import { setTimeout as sleep } from 'node:timers/promises'
import { residentMiB, startProcess } from '../e2e/node-process.ts'
import { SERVER_PROGRAM } from '../e2e/programs.ts'
import { startBare, temporaryFolder } from './contenders.ts'
import { type Benchmark, median, rounded, within } from './measurement.ts'

const START_MS = 500
const MEMORY_MIB = 110
const IDLE_MS = 2_000

/** From the program's start to a healthy answer, and what it uses once idle; beside the bare server's start. */
export const start: Benchmark = async ({ turns }) => {
  const dataDir = temporaryFolder()
  // The first start on a machine compiles and keeps what the later ones load.
  await timed(() => startAllInOne(dataDir))
  const rounds: { bare: Started; subject: Started }[] = []
  for (let count = 0; count < turns; count++)
    rounds.push({
      bare: await timed(() => startBare()),
      subject: await timed(() => startAllInOne(dataDir)),
    })
  const of = (which: 'bare' | 'subject', figure: keyof Started) =>
    median(rounds.map((round) => round[which][figure]))
  return [
    within(
      { value: of('subject', 'ms'), bound: START_MS, unit: 'ms' },
      {
        what: 'start to healthy, all in one',
        subject: '',
        baseline: `${rounded(of('bare', 'ms'))} ms bare Fastify`,
      },
    ),
    within(
      { value: of('subject', 'mib'), bound: MEMORY_MIB, unit: 'MiB' },
      {
        what: 'memory idle, all in one',
        subject: '',
        baseline: `${rounded(of('bare', 'mib'))} MiB bare Fastify`,
      },
    ),
  ]
}

type Started = { ms: number; mib: number }

function startAllInOne(dataDir: string) {
  const env = { DATA_DIR: dataDir, NODE_OPTIONS: '--max-semi-space-size=4' }
  return startProcess({ script: SERVER_PROGRAM, asProgram: true, env })
}

async function timed(begin: () => ReturnType<typeof startProcess>): Promise<Started> {
  const startedAt = performance.now()
  const program = await begin()
  const { ok } = await fetch(`${program.address}/healthz`)
  const ms = performance.now() - startedAt
  if (!ok) throw new Error('not healthy')
  await sleep(IDLE_MS)
  const mib = residentMiB(program.pid)
  await program.stop()
  return { ms, mib }
}
