import { Link, useLocation } from 'wouter'
import { classNames } from '../../ui/class-names.ts'

const PLACES = [
  { href: '/bundles', name: 'Bundles' },
  { href: '/keys', name: 'Keys' },
  { href: '/members', name: 'Members' },
  { href: '/account', name: 'Account' },
] as const

/** The app's places. A server for one person alone has no members to show. */
export function Navigation({ authMode }: { authMode: string }) {
  const [path] = useLocation()
  const places = PLACES.filter(({ href }) => authMode !== 'local' || href !== '/members')
  const current = path === '/' ? '/bundles' : path
  return (
    <nav aria-label="Main" className="-mx-2 flex overflow-x-auto">
      {places.map(({ href, name }) => {
        const here = current === href || current.startsWith(`${href}/`)
        return (
          <Link
            key={href}
            href={href}
            aria-current={here ? 'page' : undefined}
            className={classNames(
              'relative inline-flex min-h-10 items-center px-2.5 text-sm font-medium sm:px-3',
              '-outline-offset-2 after:absolute after:inset-x-2.5 after:bottom-0 after:h-0.5 after:rounded-sm sm:after:inset-x-3',
              here ? 'text-ink after:bg-accent' : 'text-ink-soft hover:text-ink hover:after:bg-line',
            )}
          >
            {name}
          </Link>
        )
      })}
    </nav>
  )
}
