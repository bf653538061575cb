/** One line of the table. */
export type Measurement = {
  readonly what: string
  readonly subject: string
  /** What it is compared with in the same run; empty if the figure needs no comparison. */
  readonly baseline: string
  /** The figure that the target is about. */
  readonly figure: string
  readonly target: string
  /** `null`: shown, without a target. */
  readonly isMet: boolean | null
}

/** Which measurements to run, and at what size. */
export type BenchOptions = {
  /** Length of one turn of load. */
  readonly seconds: number
  /** Turns of subject and baseline each. */
  readonly turns: number
  /** Waits open at once. */
  readonly waiters: number
  /** Keys at the largest size of the growth benchmark. */
  readonly keys: number
}

export type Benchmark = (options: BenchOptions) => Promise<readonly Measurement[]>

type Figures = Pick<Measurement, 'what' | 'subject' | 'baseline'>

/** A ratio that has to be at least as large as its target. */
export function ratioOf(ratio: number, target: number, figures: Figures): Measurement {
  return { ...figures, figure: ratio.toFixed(2), target: `≥ ${target}`, isMet: ratio >= target }
}

/** A quantity that has to stay within a bound. */
export function within(
  { value, bound, unit }: { value: number; bound: number; unit: string },
  figures: Figures,
): Measurement {
  return {
    ...figures,
    figure: `${rounded(value)} ${unit}`,
    target: `≤ ${bound} ${unit}`,
    isMet: value <= bound,
  }
}

/** A figure without a target. */
export function shown(figure: string, figures: Figures): Measurement {
  return { ...figures, figure, target: '', isMet: null }
}

/** Three significant digits or whole numbers: more would be noise. */
export function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString()
}

/** The value that a part `share` (0 to 1) of all values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('percentile of nothing')
  return value
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}
