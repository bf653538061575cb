import { type KeyboardEvent, useRef, useState } from 'react'
import type { AuditDays } from '../../lib/calls/answers.ts'
import { counted } from '../../lib/words/counted.ts'
import { dateTime } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'
import { type ActivityFilters, totalOf } from './use-activity-filters.ts'

const ON_A_PHONE = 7

type DayBarsProps = { days: AuditDays; filters: ActivityFilters }

/** A bar for each of the last days. A press shows that day; a drag, or Shift and an arrow, shows several. */
export function DayBars({ days: { days, counted_since: since }, filters }: DayBarsProps) {
  const { from, to, group } = filters
  const row = useRef<HTMLDivElement>(null)
  const range = useRange(days, filters)
  const most = Math.max(1, ...days.map(({ counts }) => totalOf(counts, group)))
  const focused = Math.max(0, from === '' ? days.length - 1 : days.findIndex(({ day }) => day === to))
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const buttons = [...(row.current?.querySelectorAll('button') ?? [])].filter((each) =>
      each.checkVisibility(),
    )
    const next = buttons[buttons.findIndex((each) => each.matches(':focus')) + (step ?? 0)]
    if (step === undefined || next === undefined) return
    event.preventDefault()
    next.focus()
    if (event.shiftKey) range.extend(Number(next.dataset['index']))
  }
  return (
    <section aria-label="Days" className="rounded-lg bg-surface p-4 shadow-card print:hidden">
      <div
        ref={row}
        role="toolbar"
        aria-label="Bars of days"
        onKeyDown={onKeyDown}
        className="flex touch-pan-y select-none sm:gap-2"
      >
        {days.map((day, index) => (
          <DayBar
            key={day.day}
            day={day}
            index={index}
            isToday={index === days.length - 1}
            isOnPhone={index >= days.length - ON_A_PHONE}
            isFocusable={index === focused}
            isChosen={from !== '' && day.day >= from && day.day <= (to || day.day)}
            total={totalOf(day.counts, group)}
            share={totalOf(day.counts, group) / most}
            range={range}
          />
        ))}
      </div>
      {since !== null && (
        <p className="mt-2 text-xs text-ink-soft">
          Counted since {dateTime(since)}; the list has what is older.
        </p>
      )}
    </section>
  )
}

/** The days that a person chooses, from where they began. */
function useRange(days: AuditDays['days'], { from, to, setDays }: ActivityFilters) {
  const [start, setStart] = useState<number | null>(null)
  const isDragging = useRef(false)
  const show = (one: number, other: number) => {
    const [first, last] = [days[Math.min(one, other)], days[Math.max(one, other)]]
    if (first !== undefined && last !== undefined) setDays(first.day, last.day)
  }
  const begin = (index: number) => {
    const isShown = from === to && days[index]?.day === from
    setStart(index)
    isDragging.current = true
    addEventListener('pointerup', () => (isDragging.current = false), { once: true })
    if (isShown) setDays('', '')
    else show(index, index)
  }
  return {
    begin,
    drag: (index: number) => isDragging.current && show(start ?? index, index),
    press: (index: number) => {
      begin(index)
      isDragging.current = false
    },
    extend: (index: number) => {
      const first = start ?? days.findIndex(({ day }) => day === from)
      show(first < 0 ? index : first, index)
    },
  }
}

type DayBarProps = {
  day: AuditDays['days'][number]
  index: number
  isToday: boolean
  isOnPhone: boolean
  isFocusable: boolean
  isChosen: boolean
  total: number
  /** Of the height of the highest bar. */
  share: number
  range: ReturnType<typeof useRange>
}

function DayBar({ day, index, isToday, isOnPhone, isFocusable, isChosen, total, share, range }: DayBarProps) {
  const { refused } = day.counts
  const date = new Date(`${day.day}T12:00`)
  const name = date.toLocaleDateString(undefined, { dateStyle: 'full' })
  const isWeekend = [0, 6].includes(date.getDay())
  return (
    <button
      type="button"
      data-index={index}
      tabIndex={isFocusable ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={`${isToday ? 'Today' : name}: ${counted(total, 'story', 'stories')}, ${refused} refused`}
      onPointerDown={(event) => {
        // A finger moves the page; a pointer that is pressed would tell no other bar of it.
        event.currentTarget.releasePointerCapture(event.pointerId)
        range.begin(index)
      }}
      onPointerEnter={() => range.drag(index)}
      // A click without a pointer is Enter or Space.
      onClick={(event) => event.detail === 0 && range.press(index)}
      className={classNames(
        'group flex-1 flex-col items-center gap-1 rounded-md pt-1 text-xs -outline-offset-2',
        isOnPhone ? 'flex' : 'hidden sm:flex',
        isChosen ? 'font-medium text-ink' : 'text-ink-soft',
      )}
    >
      <span className="flex h-16 w-full max-w-12 items-end px-0.5 sm:h-20">
        <span
          style={{ height: `${Math.max(total === 0 ? 0 : 4, share * 100)}%` }}
          className={classNames(
            'relative block w-full overflow-clip rounded-sm',
            isChosen ? 'bg-accent' : 'bg-accent/30 group-hover:bg-accent/50',
            isWeekend && !isChosen && 'opacity-60',
          )}
        >
          {refused > 0 && <span className="absolute inset-x-0 bottom-0 h-1 bg-danger-fill" />}
        </span>
      </span>
      {isToday ? 'Today' : date.getDate()}
    </button>
  )
}
