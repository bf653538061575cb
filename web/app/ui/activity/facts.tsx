import type { ReactNode } from 'react'

/** Names and their values, one line each. */
export function Facts({ facts }: { facts: readonly [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[6rem_1fr] gap-y-1 text-xs">
      {facts.map(([term, text]) => (
        <div key={term} className="contents">
          <dt className="text-ink-soft">{term}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">{text}</dd>
        </div>
      ))}
    </dl>
  )
}
