import { KeyRound, type LucideIcon, Package, PanelsTopLeft } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useBundles } from '../../lib/bundles.ts'
import { useKeys } from '../../lib/keys.ts'
import { useSession } from '../../lib/session.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { type Destination, findDestinations } from './destinations.ts'

const ICONS: Readonly<Record<Destination['kind'], LucideIcon>> = {
  Page: PanelsTopLeft,
  Bundle: Package,
  Key: KeyRound,
}

/** Goes anywhere by a few letters of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const bundles = useBundles().data
  const keys = useKeys().data
  const hasMembers = useSession().data?.authMode !== 'local'
  const found = useMemo(
    () => findDestinations(query, { bundles: bundles ?? [], keys: keys ?? [], hasMembers }),
    [query, bundles, keys, hasMembers],
  )
  const go = (destination: Destination | undefined) => {
    if (destination === undefined) return
    onClose()
    navigate(destination.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) go(found[active])
    else setActive((active + step + found.length) % Math.max(1, found.length))
  }
  return (
    <Dialog title="Go to" onClose={onClose} wide>
      <input
        role="combobox"
        aria-label="Page, bundle or key"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found[active] === undefined ? undefined : `${id}-${active}`}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, bundle or key"
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className="field"
      />
      <div id={id} role="listbox" aria-label="Places" className="mt-3 h-80 overflow-auto">
        {found.map((destination, index) => (
          <PaletteOption
            key={`${destination.kind} ${destination.id}`}
            id={`${id}-${index}`}
            destination={destination}
            active={index === active}
            onPick={() => go(destination)}
          />
        ))}
        {found.length === 0 && (
          <div
            role="option"
            tabIndex={-1}
            aria-disabled
            aria-selected={false}
            className="px-2 py-2 text-ink-soft"
          >
            Nothing is called that.
          </div>
        )}
      </div>
    </Dialog>
  )
}

type PaletteOptionProps = { id: string; destination: Destination; active: boolean; onPick: () => void }

function PaletteOption({ id, destination, active, onPick }: PaletteOptionProps) {
  const row = useRef<HTMLDivElement>(null)
  const Icon = ICONS[destination.kind]
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above the list takes every key
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={classNames(
        'flex min-h-10 cursor-pointer items-center gap-3 rounded-sm px-2',
        active ? 'bg-accent-soft' : 'hover:bg-sunken',
      )}
    >
      <Icon aria-hidden size={16} className="shrink-0 text-ink-faint" />
      <span
        className={classNames('min-w-0 flex-1 truncate', destination.kind !== 'Page' && 'font-mono text-sm')}
      >
        {destination.name}
      </span>
      <span className="text-xs text-ink-faint">{destination.kind}</span>
    </div>
  )
}
