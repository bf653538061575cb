import { classNames } from './class-names.ts'

const STEP = 4
const BAR = 2.6
const HEIGHT = 20
const LEAST = 3

/** How often something was fetched on each day, the last of them today. What is beside it says the last fetch. */
export function Spark({ days, className }: { days: readonly number[]; className: string }) {
  const most = Math.max(...days)
  const barAt = (count: number, at: number) => bar(at, Math.max(LEAST, (HEIGHT * count) / most))
  const used = days.map((count, at) => (count === 0 ? '' : barAt(count, at)))
  const unused = days.map((count, at) => (count === 0 ? bar(at, 1) : ''))
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classNames('block', className)}
    >
      <path d={unused.join('')} className="fill-line" />
      <path d={used.slice(0, -1).join('')} className="fill-bar" />
      <path d={used.at(-1)} className="fill-accent" />
    </svg>
  )
}

const bar = (at: number, height: number) => `M${at * STEP} ${HEIGHT}v-${height.toFixed(1)}h${BAR}V${HEIGHT}z`
