import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

const HEADINGS = { small: 'text-sm font-semibold', large: 'text-lg font-semibold' } as const

type SectionProps = {
  title: string
  /** How many things it shows. */
  count?: number
  intro?: ReactNode
  action?: ReactNode
  size?: keyof typeof HEADINGS
  className?: string
  headingClass?: string
  children: ReactNode
}

/** A part of a page: its title, what it means, and the button that adds to it. */
export function Section({ title, count, intro, action, children, ...looks }: SectionProps) {
  const { size = 'small', className, headingClass } = looks
  const id = useId()
  return (
    <section aria-labelledby={id} className={className}>
      <div className="flex items-center justify-between gap-3">
        <h2 id={id} className={classNames(HEADINGS[size], headingClass)}>
          {title}
          {count !== undefined && <span className="font-normal text-ink-soft"> {count}</span>}
        </h2>
        {action}
      </div>
      {intro !== undefined && <p className="mt-1 mb-2 max-w-read text-sm text-ink-soft">{intro}</p>}
      {children}
    </section>
  )
}

type RowsProps = {
  label?: string
  className?: string
  /** Shown in the place of a list without rows. */
  none?: string
  children: readonly ReactNode[]
}

/** A list in a box, with a line between its rows. */
export function Rows({ label, className, none, children }: RowsProps) {
  if (none !== undefined && children.length === 0) return <p className="text-sm text-ink-soft">{none}</p>
  return (
    <ul
      aria-label={label}
      className={classNames('divide-y divide-line rounded-lg border border-line bg-surface', className)}
    >
      {children}
    </ul>
  )
}
