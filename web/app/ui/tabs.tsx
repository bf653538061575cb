import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { classNames } from './class-names.ts'

/** `note`: a few words or a number beside the name. */
type Tab = { href: string; name: string; note?: ReactNode }

type TabsProps = { label: string; tabs: readonly Tab[]; children?: ReactNode }

/** The parts of a page, each with its own address; beside them, what belongs to the part that is open. */
export function Tabs({ label, tabs, children }: TabsProps) {
  const [path] = useLocation()
  return (
    <div className={classNames('flex flex-wrap items-center gap-x-4 gap-y-2', children ? 'mb-3' : 'mb-6')}>
      <nav
        aria-label={label}
        className="flex max-w-full flex-[1_0_auto] gap-x-5 overflow-x-auto border-b border-line"
      >
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
      {children}
    </div>
  )
}
