import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { residentMiB } from '../node-process.ts'
import { Deployment, type DeploymentOptions } from './deployment.ts'
import { History } from './history.ts'
import { beginWorkload, makeSharedBundle } from './workload.ts'

export type SoakOptions = DeploymentOptions & { readonly minutes: number }

type Sample = { readonly memoryMiB: number; readonly handles: number }

export type SoakResult = {
  /** Medians of the fifth of the run after warm-up, and of the last fifth. */
  readonly early: Sample
  readonly late: Sample
  /** `late` by `early`, less one: 0.1 is growth by a tenth. */
  readonly memoryGrowth: number
  readonly handleGrowth: number
  readonly acknowledgedWrites: number
  readonly deliveries: number
}

// Of twenty minutes six: until the requests of the first minutes have expired and the database's cache is full.
const WARM_UP = 0.3
const COMPARED = 0.2
const SAMPLES = 200
const LOAD = { writers: 2, askers: 2 }
const HISTORY_SAMPLES = 5

/** Work for so many minutes and compare what the processes use after warm-up with what they use at the end. */
export async function soak({ minutes, ...options }: SoakOptions): Promise<SoakResult> {
  await using deployment = await Deployment.start(options)
  const { address } = deployment
  const bundle = await makeSharedBundle(address)
  const samples: Sample[] = []
  const totals = { writes: 0, deliveries: 0 }
  for (let round = 0; samples.length < SAMPLES; round++) {
    const history = new History()
    const end = beginWorkload({ address, history, bundle, prefix: `SOAK_${round}_`, ...LOAD })
    for (let count = 0; count < HISTORY_SAMPLES; count++) {
      await sleep((minutes * 60_000) / SAMPLES)
      samples.push(sampleOf(deployment))
    }
    await end()
    totals.writes += history.counts.writes
    totals.deliveries += history.counts.deliveries
  }
  return { ...compared(samples), acknowledgedWrites: totals.writes, deliveries: totals.deliveries }
}

function sampleOf(deployment: Deployment): Sample {
  const pids = deployment.parts.map((part) => deployment.member(part).pid)
  const sum = (of: (pid: number) => number) => pids.reduce((total, pid) => total + of(pid), 0)
  return { memoryMiB: sum(residentMiB), handles: sum((pid) => readdirSync(`/proc/${pid}/fd`).length) }
}

function compared(samples: readonly Sample[]) {
  const width = Math.ceil(samples.length * COMPARED)
  const from = Math.floor(samples.length * WARM_UP)
  const early = medianOf(samples.slice(from, from + width))
  const late = medianOf(samples.slice(-width))
  const memoryGrowth = late.memoryMiB / early.memoryMiB - 1
  return { early, late, memoryGrowth, handleGrowth: late.handles / early.handles - 1 }
}

function medianOf(samples: readonly Sample[]): Sample {
  const middle = (of: (sample: Sample) => number) =>
    samples.map(of).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0
  return { memoryMiB: middle(({ memoryMiB }) => memoryMiB), handles: middle(({ handles }) => handles) }
}
