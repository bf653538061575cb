import { type LoadCall, type LoadResult, load } from './load.ts'
import { type BenchOptions, type Measurement, median, ratioOf, rounded, shown } from './measurement.ts'

export type Contender = { readonly address: string; readonly call: LoadCall }

const CONNECTIONS = 16
const WARM_UP_SECONDS = 1

export type Turns = {
  readonly subject: number
  readonly baseline: number
  /** The median of the turns' own ratios: noise of the machine meets both halves of a turn. */
  readonly ratio: number
}

/** Load baseline and subject in turns (baseline, subject, baseline, subject …), after a warm-up of both.
 * @returns requests per second: the median turn of each */
export async function inTurns(
  { subject, baseline }: { subject: Contender; baseline: Contender },
  options: BenchOptions,
): Promise<Turns> {
  const results: { subject: LoadResult; baseline: LoadResult }[] = []
  for (const contender of [baseline, subject]) await turn(contender, WARM_UP_SECONDS)
  for (let count = 0; count < options.turns; count++) {
    const ofBaseline = await turn(baseline, options.seconds)
    results.push({ baseline: ofBaseline, subject: await turn(subject, options.seconds) })
  }
  return {
    subject: median(results.map((result) => result.subject.perSecond)),
    baseline: median(results.map((result) => result.baseline.perSecond)),
    ratio: median(results.map((result) => result.subject.perSecond / result.baseline.perSecond)),
  }
}

/** One line of the table for `inTurns`. */
export function comparison(
  { what, beside, target }: { what: string; beside: string; target: number | null },
  { subject, baseline, ratio }: Turns,
): Measurement {
  const figures = { what, subject: `${rounded(subject)}/s`, baseline: `${rounded(baseline)}/s ${beside}` }
  return target === null ? shown(ratio.toFixed(2), figures) : ratioOf(ratio, target, figures)
}

function turn({ address, call }: Contender, seconds: number): Promise<LoadResult> {
  return load(address, call, { seconds, connections: CONNECTIONS })
}
