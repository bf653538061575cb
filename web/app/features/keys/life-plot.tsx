import type { Holder } from '../../lib/calls/answers.ts'
import { shortDay } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { type LifeLine, versionOf } from './life-line.ts'

/** Between the names of the holders and the buttons at the end of their rows. */
const BESIDE_NAMES = 'right-10 left-60 hidden sm:block'

/** Nearer than this, words would run into one another. */
const CLOSE = 8

/** A narrower band has no room for its version. */
const NARROW = 4

/** Nearer to today, a version written over its ring would cross the line of today. */
const BESIDE_TODAY = 2

const percent = (at: number): string => `${at}%`

/** Behind the holders: a band for each version, today, and when the value expires. */
export function LifeBands({ line: { bands, today, expiry } }: { line: LifeLine }) {
  return (
    <div aria-hidden className={classNames('absolute inset-y-0', BESIDE_NAMES)}>
      <svg aria-hidden="true" className="size-full overflow-visible">
        {bands.map(({ version, isCurrent, from, to }) => (
          <rect
            key={version}
            x={percent(from)}
            width={percent(to - from)}
            height="100%"
            rx={8}
            className={classNames('stroke-surface stroke-2', isCurrent ? 'fill-good-soft' : 'fill-sunken')}
          />
        ))}
        <Upright at={today} className="stroke-ink stroke-[1.5]" />
        {expiry !== null && (
          <Upright at={expiry} className="stroke-caution-dot stroke-2 [stroke-dasharray:4_3]" />
        )}
      </svg>
    </div>
  )
}

function Upright({ at, className }: { at: number; className: string }) {
  return <line x1={percent(at)} x2={percent(at)} y1={0} y2="100%" className={className} />
}

/** Above the holders: what each band is. What today would cross stands behind today. */
export function LifeHead({ line: { bands, today } }: { line: LifeLine }) {
  return (
    <div aria-hidden className="relative hidden h-10 sm:block">
      <div className={classNames('absolute inset-0', BESIDE_NAMES)}>
        {bands.map(({ version, setBy, isCurrent, from, to }) => {
          if (!isCurrent && to - from < NARROW) return null
          const left = isCurrent && today - from < CLOSE ? today : from
          return (
            <span
              key={version}
              style={{ left: percent(left), width: percent(to - left) }}
              className={classNames(
                'absolute top-2 h-5 truncate px-3 text-xs leading-5',
                isCurrent ? 'text-good' : 'text-ink-soft',
              )}
            >
              <b className="font-semibold">v{version}</b>
              {setBy !== null && !isCurrent && <span className="ml-2">set by {setBy}</span>}
            </span>
          )
        })}
      </div>
    </div>
  )
}

type LaneProps = { line: LifeLine; holder: Holder; stale: boolean }

/** When a holder was given the value. A dot: it has the current one. A ring: it still has an older one. */
export function Lane({ line, holder, stale }: LaneProps) {
  const [from, to] = [line.at(holder.first_at), line.at(holder.last_at)]
  return (
    <span className="relative hidden self-stretch sm:block">
      <svg aria-hidden="true" className="absolute inset-0 size-full overflow-visible">
        <line x1={percent(from)} x2={percent(to)} y1="50%" y2="50%" className="stroke-edge stroke-2" />
        {stale && (
          <>
            <line
              x1={percent(to)}
              x2={percent(line.today)}
              y1="50%"
              y2="50%"
              className="stroke-caution-dot stroke-2 [stroke-dasharray:2_4]"
            />
            <text
              x={percent(to)}
              y="50%"
              dy={-10}
              textAnchor={line.today - to < BESIDE_TODAY ? 'end' : 'middle'}
              className="fill-caution text-xs"
            >
              v{versionOf(holder)}
            </text>
          </>
        )}
        <circle
          cx={percent(to)}
          cy="50%"
          r={6}
          className={classNames(
            'stroke-2',
            stale ? 'fill-surface stroke-caution-dot' : 'fill-good-dot stroke-surface',
          )}
        />
      </svg>
    </span>
  )
}

/** Below the holders: months or days, today, and the day of the expiry. */
export function LifeAxis({ line: { ticks, today, expiry }, expiresAt }: LifeAxisProps) {
  const isFree = (at: number) => Math.abs(at - (expiry ?? -CLOSE)) > CLOSE && today - at > CLOSE
  return (
    <div aria-hidden className="relative hidden h-0 sm:block">
      <div className={classNames('absolute top-1 h-5 text-xs text-ink-soft', BESIDE_NAMES)}>
        {ticks
          .filter(({ at }) => isFree(at))
          .map(({ at, text }) => (
            <span key={at} style={{ left: percent(at) }} className="absolute whitespace-nowrap">
              {text}
            </span>
          ))}
        <span style={{ right: percent(100 - today) }} className="absolute pr-1">
          today
        </span>
        {expiry !== null && expiresAt !== null && (
          <span style={{ left: percent(expiry) }} className="absolute pl-1 whitespace-nowrap text-caution">
            {shortDay(expiresAt)}
          </span>
        )}
      </div>
    </div>
  )
}

type LifeAxisProps = { line: LifeLine; expiresAt: string | null }
