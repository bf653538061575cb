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
      <div className="mb-2 flex items-start justify-between gap-3">
        <div>
          <h2 id={id} className="text-sm font-semibold">
            {title}
            {count !== undefined && <span className="font-normal text-ink-soft"> {count}</span>}
          </h2>
          <p className="max-w-xl text-sm text-ink-soft">{intro}</p>
        </div>
        {action}
      </div>
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
