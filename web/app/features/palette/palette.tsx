import { KeyRound, type LucideIcon, Package, PanelsTopLeft } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ListboxOption, ListboxRemark } from '../../ui/listbox-option.tsx'
import { useActiveOption } from '../../ui/use-active-option.ts'
import { type Destination, findDestinations } from './destinations.ts'

const ICONS: Readonly<Record<Destination['kind'], LucideIcon>> = {
  Page: PanelsTopLeft,
  Bundle: Package,
  Key: KeyRound,
}

/** Goes anywhere by a few letters of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [query, setQuery] = useState('')
  const found = useDestinations(query)
  const go = useGo(found, onClose)
  const { active, setActive, onKeyDown } = useActiveOption(found.length, go)
  const search = (text: string) => {
    setQuery(text)
    setActive(0)
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
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        className="field"
      />
      <div id={id} role="listbox" aria-label="Places" className="mt-3 h-80 overflow-auto">
        {found.map((destination, index) => (
          <ListboxOption
            key={`${destination.kind} ${destination.id}`}
            id={`${id}-${index}`}
            active={index === active}
            selected={index === active}
            onPick={() => go(index)}
          >
            <DestinationText destination={destination} />
          </ListboxOption>
        ))}
        {found.length === 0 && <ListboxRemark text="No page, bundle or key has this name." />}
      </div>
    </Dialog>
  )
}

function useDestinations(query: string): Destination[] {
  const bundles = useAnswer('listBundles', {}).data
  const keys = useAnswer('listKeys', {}).data
  const isOwner = useIsOwner()
  return useMemo(
    () => findDestinations(query, { bundles: bundles ?? [], keys: keys ?? [], isOwner }),
    [query, bundles, keys, isOwner],
  )
}

function useGo(found: readonly Destination[], onClose: () => void) {
  const [, navigate] = useLocation()
  return (index: number) => {
    const destination = found[index]
    if (destination === undefined) return
    onClose()
    navigate(destination.href)
  }
}

function DestinationText({ destination: { kind, name } }: { destination: Destination }) {
  const Icon = ICONS[kind]
  return (
    <>
      <Icon aria-hidden size={16} className="mt-1 shrink-0 text-ink-faint" />
      <span
        className={classNames('min-w-0 flex-1 truncate leading-6', kind !== 'Page' && 'font-mono text-sm')}
      >
        {name}
      </span>
      <span className="text-xs leading-6 text-ink-faint">{kind}</span>
    </>
  )
}
