import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { classNames } from './class-names.ts'

/** `note`: a few words or a number beside the name. */
export type Tab = { href: string; name: string; note?: ReactNode }

/** The parts of a page, each with its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [path] = useLocation()
  return (
    <nav aria-label={label} className="mb-6 flex gap-x-5 overflow-x-auto border-b border-line">
      {tabs.map(({ href, name, note }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className={classNames(
            '-mb-px inline-flex min-h-10 shrink-0 items-center gap-1.5 border-b-2 text-sm font-medium -outline-offset-2',
            path === href
              ? 'border-accent text-ink'
              : 'border-transparent text-ink-soft hover:border-line hover:text-ink',
          )}
        >
          {name}
          {note !== undefined && <span className="font-normal text-ink-faint">{note}</span>}
        </Link>
      ))}
    </nav>
  )
}
