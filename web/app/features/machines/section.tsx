import type { ReactNode } from 'react'

type SectionProps = {
  id: string
  title: string
  count?: number
  intro: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A part of a machine's page: its title, what it means, and the button that adds to it. */
export function Section({ id, title, count, intro, action, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <div className="flex items-center justify-between gap-3">
        <h2 id={id} className="text-sm font-semibold">
          {title}
          {count !== undefined && <span className="font-normal text-ink-soft"> {count}</span>}
        </h2>
        {action}
      </div>
      <p className="mt-1 mb-2 max-w-2xl text-sm text-ink-soft">{intro}</p>
      {children}
    </section>
  )
}

/** A list of a section. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
      {children}
    </ul>
  )
}
