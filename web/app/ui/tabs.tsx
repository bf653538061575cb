import { Link, useLocation } from 'wouter'
import { classNames } from './class-names.ts'

type TabsProps = { label: string; tabs: readonly { href: string; name: string }[] }

/** The parts of a page, each with its own address. */
export function Tabs({ label, tabs }: TabsProps) {
  const [path] = useLocation()
  return (
    <nav aria-label={label} className="mb-6 flex max-w-full gap-x-5 overflow-x-auto border-b border-line">
      {tabs.map(({ href, name }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className={classNames(
            '-mb-px inline-flex min-h-10 shrink-0 items-center border-b-2 text-sm font-medium -outline-offset-2',
            path === href
              ? 'border-accent text-ink'
              : 'border-transparent text-ink-soft hover:border-line hover:text-ink',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
