import { compareEnvironments, environmentOf } from '@keyferry/contract/siblings'
import { type DatedKey, daysUntil, dueKind } from '../../lib/data/expiry.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { DateMark, DateTicks, SHOWN_DAYS, xOf } from '../../ui/date-axis.tsx'
import type { DueKind } from '../../ui/due-dot.tsx'

const LANE_PX = 52
const TOP_PX = 24
const SOON_DAYS = 14
/** How much of the width a letter of a name takes at most, and its distance from the mark, in percent. */
const LETTER = 0.95
const BESIDE = 1.4

const NAME_FILLS: Readonly<Record<DueKind, string>> = {
  expired: 'fill-danger',
  due: 'fill-caution',
  later: 'fill-ink-soft',
}

/** What expires in the next 90 days, a lane for each environment. The lists below say the same in words. */
export function Lanes({ keys }: { keys: readonly DatedKey[] }) {
  const shown = keys.filter((key) => daysUntil(key) <= SHOWN_DAYS)
  const lanes = Map.groupBy(
    shown.flatMap((key) => environmentsOf(key).map((environment) => ({ key, environment }))),
    ({ environment }) => environment,
  )
  const names = [...lanes.keys()].toSorted(compareEnvironments)
  if (names.length === 0) return null
  const height = TOP_PX + names.length * LANE_PX
  return (
    <div className="mb-6 hidden rounded-lg bg-surface p-4 pl-6 shadow-hairline sm:flex">
      <div className="w-24 shrink-0 text-sm font-medium" style={{ paddingTop: TOP_PX }}>
        {names.map((name) => (
          <p key={name} className="flex items-center" style={{ height: LANE_PX }}>
            {name === '' ? 'others' : name}
          </p>
        ))}
      </div>
      <svg
        role="img"
        aria-label={`What expires in the next ${SHOWN_DAYS} days, by environment`}
        height={height}
        className="min-w-0 flex-1"
      >
        <rect
          x={`${xOf(0)}%`}
          width={`${xOf(SOON_DAYS) - xOf(0)}%`}
          y={TOP_PX}
          height={height - TOP_PX}
          rx={8}
          className="fill-caution-soft"
        />
        <DateTicks from={TOP_PX} to={height} labelsAt={14} />
        {names.map((name, at) => (
          <Lane
            key={name}
            keys={(lanes.get(name) ?? []).map(({ key }) => key)}
            y={TOP_PX + (at + 0.5) * LANE_PX}
          />
        ))}
      </svg>
    </div>
  )
}

function environmentsOf({ bundles = [] }: DatedKey): string[] {
  return bundles.length === 0 ? [''] : [...new Set(bundles.map(({ name }) => environmentOf(name)))]
}

function Lane({ keys, y }: { keys: readonly DatedKey[]; y: number }) {
  return (
    <>
      <line x1="0" x2="100%" y1={y} y2={y} className="stroke-line" />
      {keys.map((key) => (
        <DateMark key={key.id} days={daysUntil(key)} y={y} kind={dueKind(key)} />
      ))}
      {labelled(keys).map(({ key, x, isAbove }) => (
        <text
          key={key.id}
          x={`${x}%`}
          y={isAbove ? y - 9 : y + 20}
          className={`font-mono text-xs ${NAME_FILLS[dueKind(key)]}`}
        >
          {variableOf(key)}
        </text>
      ))}
    </>
  )
}

/** The names for which there is room, above the lane or below it. */
function labelled(keys: readonly DatedKey[]): { key: DatedKey; x: number; isAbove: boolean }[] {
  const ends = { above: 0, below: 0 }
  return keys.flatMap((key) => {
    const x = xOf(daysUntil(key)) + BESIDE
    const end = x + variableOf(key).length * LETTER
    const side = (['above', 'below'] as const).find((one) => ends[one] <= x)
    if (side === undefined || end > 100) return []
    ends[side] = end
    return [{ key, x, isAbove: side === 'above' }]
  })
}
