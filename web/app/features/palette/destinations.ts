import type { Bundle, Key } from '../../lib/calls/answers.ts'
import { matches, rank } from '../../lib/page/search.ts'

/** Somewhere the palette can lead. */
export type Destination = {
  id: string
  kind: 'Page' | 'Bundle' | 'Key'
  name: string
  href: string
  forOwners?: true
}

const PAGES: readonly Destination[] = [
  { id: 'bundles', kind: 'Page', name: 'Bundles', href: '/bundles' },
  { id: 'import', kind: 'Page', name: 'Import a .env file', href: '/bundles/import' },
  { id: 'move', kind: 'Page', name: 'Move a library here', href: '/bundles/move' },
  { id: 'keys', kind: 'Page', name: 'Keys', href: '/keys' },
  { id: 'new-key', kind: 'Page', name: 'New key', href: '/keys/new' },
  { id: 'due', kind: 'Page', name: 'Keys that are due', href: '/keys?filter=due' },
  { id: 'unused', kind: 'Page', name: 'Unused keys', href: '/keys?filter=unused' },
  { id: 'compare', kind: 'Page', name: 'Compare bundles', href: '/compare' },
  { id: 'activity', kind: 'Page', name: 'Activity', href: '/activity', forOwners: true },
  { id: 'waiting', kind: 'Page', name: 'Waiting for you', href: '/waiting' },
  { id: 'machines', kind: 'Page', name: 'Machines', href: '/machines' },
  { id: 'webhooks', kind: 'Page', name: 'Webhooks', href: '/settings/webhooks', forOwners: true },
  { id: 'settings', kind: 'Page', name: 'Settings and members', href: '/settings' },
  { id: 'account', kind: 'Page', name: 'Account and shortcuts', href: '/account' },
]

const MOST = 50

/** What there is to go to. */
type Places = { bundles: readonly Bundle[]; keys: readonly Key[]; isOwner: boolean }

/** The places whose names match, best first: exact names, then beginnings of names, then beginnings of their parts.
 * Among equals pages come first, then bundles and keys. At most 50. */
export function findDestinations(query: string, { bundles, keys, isOwner }: Places): Destination[] {
  const ranked: [Destination[], Destination[], Destination[], Destination[]] = [[], [], [], []]
  const add = (destination: Destination) => {
    if (!isOwner && destination.forOwners) return
    if (matches(destination.name, query)) ranked[rank(destination.name, query)].push(destination)
  }
  for (const destination of PAGES) add(destination)
  for (const { id, name } of bundles) add({ id, kind: 'Bundle', name, href: `/bundles/${id}` })
  for (const { id, name } of keys) add({ id, kind: 'Key', name, href: `/keys/${id}` })
  return ranked.flat().slice(0, MOST)
}
