import { useIsFetching, useQueries } from '@tanstack/react-query'
import { useDeferredValue, useId, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { call } from '../../lib/calls/call.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { pageWorkspace, WORKSPACE_HEADER, workspacePath } from '../../lib/calls/workspace.ts'
import { useLibrary } from '../../lib/data/keys.ts'
import { useMay, useTenants } from '../../lib/data/me.ts'
import { openWorkspace } from '../../lib/data/workspaces.ts'
import { keepText, keptText } from '../../lib/page/kept.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import type { IconComponent } from '../../ui/icon.tsx'
import { KeyRound, Package, PanelsTopLeft, Zap } from '../../ui/icons.ts'
import { ListboxOption, ListboxRemark } from '../../ui/listbox-option.tsx'
import { useActiveOption } from '../../ui/use-active-option.ts'
import { action, type Destination, findDestinations, keyOf, type SearchSources } from './destinations.ts'

const ICONS: Readonly<Record<Destination['kind'], IconComponent>> = {
  Page: PanelsTopLeft,
  Action: Zap,
  Bundle: Package,
  Variable: KeyRound,
}

/** Finds pages, actions, bundles and variables by a few letters of their names. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [query, setQuery] = useState('')
  const [recent] = useState(recentOnes)
  const found = useDestinations(query, recent)
  const isComing = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0
  const go = useGo(found, onClose)
  const { active, setActive, onKeyDown } = useActiveOption(found.length, go)
  const search = (text: string) => {
    setQuery(text)
    setActive(0)
  }
  return (
    <Dialog title="Go to" hidesTitle onClose={onClose}>
      <input
        role="combobox"
        aria-label="Page, action, bundle or variable"
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found[active] === undefined ? undefined : `${id}-${active}`}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, action, bundle or variable, in all workspaces"
        value={query}
        onChange={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        className="field"
      />
      <div
        id={id}
        role="listbox"
        aria-label="Places"
        className="mt-3 h-80 overflow-auto sm:h-auto sm:max-h-80"
      >
        {found.map((destination, index) => (
          <ListboxOption
            key={keyOf(destination)}
            id={`${id}-${index}`}
            active={index === active}
            selected={index === active}
            onPick={() => go(index)}
          >
            <DestinationText destination={destination} />
          </ListboxOption>
        ))}
        {found.length === 0 && <ListboxRemark text={isComing ? 'Looking…' : 'Nothing has this name.'} />}
      </div>
    </Dialog>
  )
}

const MOST_RECENT = 20

const stored = () => `keyferry.recent.${pageWorkspace()}`

function recentOnes(): string[] {
  const kept: unknown = JSON.parse(keptText(stored()) ?? '[]')
  return Array.isArray(kept) ? kept.map(String) : []
}

function useGo(found: readonly Destination[], onClose: () => void) {
  const [, navigate] = useLocation()
  return (index: number) => {
    const destination = found[index]
    if (destination === undefined) return
    onClose()
    const key = keyOf(destination)
    keepText(
      stored(),
      JSON.stringify([key, ...recentOnes().filter((each) => each !== key)].slice(0, MOST_RECENT)),
    )
    if ('run' in destination) destination.run()
    // Another workspace is another document.
    else if (destination.workspace) location.assign(workspacePath(destination.workspace.id, destination.href))
    else navigate(destination.href)
  }
}

function DestinationText({ destination: { kind, name, workspace } }: { destination: Destination }) {
  const Icon = ICONS[kind]
  const [text, place] = kind === 'Variable' ? name.split(' in ') : [name]
  return (
    <>
      <Icon aria-hidden size={16} className="mt-1 shrink-0 text-ink-faint" />
      <span
        className={classNames(
          'min-w-0 flex-1 truncate leading-6',
          (kind === 'Bundle' || kind === 'Variable') && 'font-mono text-sm',
        )}
      >
        {kind === 'Bundle' ? <EnvChip name={name} isMention /> : text}
        {place !== undefined && (
          <>
            <span className="sr-only"> in </span> <EnvChip name={place} isMention />
          </>
        )}
      </span>
      <span className="max-w-2/5 truncate text-xs leading-6 text-ink-faint">
        {workspace?.name ?? (kind === 'Page' ? null : kind)}
      </span>
    </>
  )
}

/** What answers a query in this workspace and the person's others. */
function useDestinations(query: string, recent: readonly string[]): Destination[] {
  const bundles = useAnswer('listBundles', {}).data
  const keys = useLibrary().data
  const may = useMay()
  const others = (useTenants().data ?? []).filter(({ id }) => id !== pageWorkspace())
  const elsewhere = useElsewhere(others, useDeferredValue(query.trim().split(' ', 1)[0] ?? ''))
  const own = useMemo(() => ({ bundles: bundles ?? [], keys: keys ?? [] }), [bundles, keys])
  const actions = others.map(({ id, name }) => ({
    ...action(`Switch to ${name}`),
    run: () => openWorkspace(id),
  }))
  return findDestinations(query, { own, elsewhere, actions, recent, may })
}

// The server searches the other workspaces, so that none of them is loaded whole.
const SEARCHED_FROM = 2
const MOST_OF_EACH = 20

function useElsewhere(workspaces: readonly { id: string; name: string }[], query: string): SearchSources[] {
  return useQueries({
    queries: workspaces.map((workspace) => ({
      queryKey: ['elsewhere', workspace.id, query],
      enabled: query.length >= SEARCHED_FROM,
      queryFn: async (): Promise<SearchSources> => {
        const extras = { headers: { [WORKSPACE_HEADER]: workspace.id } }
        const [bundles, keys] = await Promise.all([
          call('listBundles', { query, limit: MOST_OF_EACH }, extras),
          call('listKeys', { query, uses: '1', limit: MOST_OF_EACH }, extras),
        ])
        return { bundles, keys, workspace }
      },
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })
}
