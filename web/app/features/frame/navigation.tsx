import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../lib/data/me.ts'
import { type AppPlace, PLACES } from '../../lib/page/places.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Ellipsis } from '../../ui/icons.ts'

/** How many places a phone's bottom bar shows; the others are behind *More*. */
const IN_BAR = 3

/** In the header it is the picture of the person. */
const SETTINGS = '/settings'

/** Whether an address belongs to a place. */
function isAt({ href, also = [] }: AppPlace, path: string): boolean {
  return path === href || [href, ...also].some((place) => place !== '/' && `${path}/`.startsWith(`${place}/`))
}

function usePlaces(): readonly AppPlace[] {
  const may = useMay()
  return PLACES.filter(({ tab, needs }) => tab && (needs === undefined || may(needs)))
}

/** The app's places, in the row of the header; a phone has the bar at the bottom. */
export function Navigation() {
  return (
    <nav aria-label="Main" className="hidden self-stretch sm:flex lg:ml-2 print:hidden">
      {usePlaces()
        .filter(({ href }) => href !== SETTINGS)
        .map((place) => (
          <PlaceLink
            key={place.href}
            place={place}
            className="px-1.5 whitespace-nowrap after:inset-x-1.5 after:-bottom-px lg:px-3 lg:after:inset-x-3"
          />
        ))}
    </nav>
  )
}

/** The app's places on a phone: the first ones at the bottom, the others behind *More*. */
export function BottomBar() {
  const places = usePlaces()
  const [path] = useLocation()
  const [isMoreOpen, setMoreOpen] = useState(false)
  const more = places.slice(IN_BAR)
  return (
    <nav
      aria-label="Main"
      data-bar
      className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden print:hidden"
    >
      {places.slice(0, IN_BAR).map((place) => (
        <PlaceLink
          key={place.href}
          place={place}
          className="min-h-12 flex-1 justify-center after:inset-x-4 after:top-0"
        />
      ))}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setMoreOpen(true)}
        className={classNames(
          'inline-flex min-h-12 flex-1 items-center justify-center gap-1 text-sm font-medium',
          more.some((place) => isAt(place, path)) ? 'text-ink' : 'text-ink-soft',
        )}
      >
        <Ellipsis aria-hidden size={16} /> More
      </button>
      {isMoreOpen && (
        <Dialog title="More" onClose={() => setMoreOpen(false)}>
          <ul className="-mx-2">
            {more.map(({ href, name }) => (
              <li key={href}>
                <Link
                  href={href}
                  onClick={() => setMoreOpen(false)}
                  className="flex min-h-11 items-center rounded-md px-2 hover:bg-sunken"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </nav>
  )
}

function PlaceLink({ place, className }: { place: AppPlace; className: string }) {
  const [path] = useLocation()
  const isHere = isAt(place, path)
  return (
    <Link
      href={place.href}
      aria-current={isHere ? 'page' : undefined}
      className={classNames(
        'relative inline-flex items-center text-sm -outline-offset-2',
        'after:absolute after:h-0.5 after:rounded-sm',
        isHere ? 'text-ink after:bg-accent' : 'text-ink-soft hover:text-ink hover:after:bg-line',
        className,
      )}
    >
      {place.name}
    </Link>
  )
}
