import { processorMs } from '../e2e/node-process.ts'
import { type LoadCall, load } from './load.ts'
import { type BenchOptions, type Measurement, median, ratioOf, rounded, shown } from './measurement.ts'

/** `pids`: the processes that serve it. */
export type Contender = {
  readonly address: string
  readonly call: LoadCall
  readonly pids: readonly number[]
}

const CONNECTIONS = 16
// V8 compiles code only after many calls. A shorter warm-up makes the longer path look slower.
const WARM_UP_CALLS = 3_000

/** Requests per second, and per second of processor time that the serving processes used: busy neighbours on the
 * machine lower the first and leave the second as it is. */
type Speed = { readonly perSecond: number; readonly perCoreSecond: number }

type Turn = Speed & { readonly answered: number }

export type Turns = {
  readonly subject: Speed
  readonly baseline: Speed
  /** The median of the turns' own ratios: noise of the machine meets both halves of a turn. */
  readonly ratio: number
  readonly coreRatio: number
}

/** Load baseline and subject in turns (baseline, subject, baseline, subject …), after a warm-up of both.
 * @returns requests per second: the median turn of each */
export async function inTurns(
  { subject, baseline }: { subject: Contender; baseline: Contender },
  options: BenchOptions,
): Promise<Turns> {
  const results: { subject: Speed; baseline: Speed }[] = []
  for (const contender of [baseline, subject])
    for (let calls = 0; calls < WARM_UP_CALLS; ) calls += (await turn(contender, 1)).answered
  for (let count = 0; count < options.turns; count++) {
    const ofBaseline = await turn(baseline, options.seconds)
    results.push({ baseline: ofBaseline, subject: await turn(subject, options.seconds) })
  }
  return {
    subject: medianSpeed(results.map((result) => result.subject)),
    baseline: medianSpeed(results.map((result) => result.baseline)),
    ratio: median(results.map((result) => result.subject.perSecond / result.baseline.perSecond)),
    coreRatio: median(results.map((result) => result.subject.perCoreSecond / result.baseline.perCoreSecond)),
  }
}

function medianSpeed(speeds: readonly Speed[]): Speed {
  return {
    perSecond: median(speeds.map((speed) => speed.perSecond)),
    perCoreSecond: median(speeds.map((speed) => speed.perCoreSecond)),
  }
}

/** One line of the table for `inTurns`. */
export function comparison(
  { what, beside, target }: { what: string; beside: string; target: number | null },
  { subject, baseline, ratio, coreRatio }: Turns,
): Measurement {
  const figures = { what, subject: shownSpeed(subject), baseline: `${shownSpeed(baseline)} ${beside}` }
  const measurement = target === null ? shown(ratio.toFixed(2), figures) : ratioOf(ratio, target, figures)
  return { ...measurement, figure: `${measurement.figure} (${coreRatio.toFixed(2)} by processor time)` }
}

export function shownSpeed({ perSecond, perCoreSecond }: Speed): string {
  return `${rounded(perSecond)}/s, ${rounded(perCoreSecond)} per core second`
}

async function turn({ address, call, pids }: Contender, seconds: number): Promise<Turn> {
  const usedMs = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
  const before = usedMs()
  const { perSecond, answered } = await load(address, call, { seconds, connections: CONNECTIONS })
  return { answered, perSecond, perCoreSecond: answered / ((usedMs() - before) / 1_000) }
}
