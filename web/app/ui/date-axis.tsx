import { serverNowMs } from '../lib/calls/server-clock.ts'
import type { DueKind } from './due-dot.tsx'

/** The days that a plot shows. */
export const SHOWN_DAYS = 90
const TICK_DAYS = 14
const DAY_MS = 86_400_000
/** Where today and the last day are, in percent of the width: what has expired is before today. */
const TODAY = 5
const END = 99

/** Where a number of days from now is, in percent of the width. What expired earlier is all in one place. */
export const xOf = (days: number): number =>
  days < 0 ? TODAY / 2 : TODAY + ((END - TODAY) * days) / SHOWN_DAYS

/** A line every two weeks with its date; today's is named so. */
export function DateTicks({ from, to, labelsAt }: { from: number; to: number; labelsAt: number }) {
  const ticks = Array.from({ length: Math.floor(SHOWN_DAYS / TICK_DAYS) + 1 }, (_, at) => at * TICK_DAYS)
  return ticks.map((days) => (
    <g key={days}>
      <line x1={percent(days)} x2={percent(days)} y1={from} y2={to} className="stroke-line" />
      <text x={percent(days)} y={labelsAt} textAnchor="middle" className="fill-ink-faint text-xs">
        {days === 0 ? 'today' : dayText(days)}
      </text>
    </g>
  ))
}

const percent = (days: number) => `${xOf(days)}%`

const dayText = (days: number) =>
  new Date(serverNowMs() + days * DAY_MS).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })

/** A mark on the axis: the same shapes as beside words. */
export function DateMark({ days, y, kind }: { days: number; y: number; kind: DueKind }) {
  return (
    <svg aria-hidden x={percent(days)} y={y} overflow="visible" className="stroke-surface stroke-2">
      {kind === 'expired' ? (
        <rect
          x={-6}
          y={-6}
          width={12}
          height={12}
          rx={2}
          transform="rotate(45)"
          className="fill-danger-fill"
        />
      ) : (
        <circle r={6} className={kind === 'due' ? 'fill-caution-dot' : 'fill-surface stroke-edge'} />
      )}
    </svg>
  )
}
