import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMay } from '../../lib/data/me.ts'
import { type AppPlace, PLACES } from '../../lib/page/places.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Ellipsis } from '../../ui/icons.ts'

/** How many places a phone's bottom bar shows; the others are behind *More*. */
const IN_BAR = 3

/** Whether an address belongs to a place. */
function isAt({ href, also = [] }: AppPlace, path: string): boolean {
  return path === href || path.startsWith(`${href}/`) || also.includes(path)
}

/** The app's places: tabs under the header, and on a phone a bar at the bottom. */
export function Navigation() {
  const may = useMay()
  const places = PLACES.filter(({ tab, needs }) => tab && (needs === undefined || may(needs)))
  return (
    <nav aria-label="Main" className="print:hidden">
      <div className="-mx-2 hidden sm:flex">
        {places.map((place) => (
          <PlaceLink
            key={place.href}
            place={place}
            className="min-h-10 px-2 whitespace-nowrap after:inset-x-2 after:bottom-0 lg:px-3 lg:after:inset-x-3"
          />
        ))}
      </div>
      <BottomBar places={places} />
    </nav>
  )
}

function BottomBar({ places }: { places: readonly AppPlace[] }) {
  const [path] = useLocation()
  const [isMoreOpen, setMoreOpen] = useState(false)
  const more = places.slice(IN_BAR)
  return (
    <div className="fixed inset-x-0 bottom-0 z-20 flex border-t border-line bg-canvas pb-[env(safe-area-inset-bottom)] sm:hidden">
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
    </div>
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
        'relative inline-flex items-center text-sm font-medium -outline-offset-2',
        'after:absolute after:h-0.5 after:rounded-sm',
        isHere ? 'text-ink after:bg-accent' : 'text-ink-soft hover:text-ink hover:after:bg-line',
        className,
      )}
    >
      {place.name}
    </Link>
  )
}
