import type { ReactNode } from 'react'

type FactsProps = { facts: Readonly<Record<string, ReactNode>>; className?: string }

/** Names and their values, one line each; those without a value are left out. */
export function Facts({ facts, className = 'grid-cols-[6rem_1fr] gap-y-1 text-xs' }: FactsProps) {
  const known = Object.entries(facts).filter(([, text]) => text !== '')
  return (
    <dl className={`grid ${className}`}>
      {known.map(([term, text]) => (
        <div key={term} className="contents">
          <dt className="text-ink-soft">{term}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
