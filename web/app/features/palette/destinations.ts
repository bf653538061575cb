import type { Bundle, Key } from '../../lib/answers.ts'
import { matches } from '../../lib/search.ts'

/** Somewhere the palette can lead. */
export type Destination = { id: string; kind: 'Page' | 'Bundle' | 'Key'; name: string; href: string }

const PAGES: readonly Destination[] = [
  { id: 'bundles', kind: 'Page', name: 'Bundles', href: '/bundles' },
  { id: 'import', kind: 'Page', name: 'Import a .env file', href: '/bundles/import' },
  { id: 'keys', kind: 'Page', name: 'Keys', href: '/keys' },
  { id: 'new-key', kind: 'Page', name: 'New key', href: '/keys/new' },
  { id: 'unused', kind: 'Page', name: 'Unused keys', href: '/keys?filter=unused' },
  { id: 'settings', kind: 'Page', name: 'Settings and members', href: '/settings' },
  { id: 'account', kind: 'Page', name: 'Account and shortcuts', href: '/account' },
]

const MOST = 50

/** What there is to go to. */
type Places = { bundles: readonly Bundle[]; keys: readonly Key[] }

/** The places whose names match, pages first, then bundles and keys; at most 50. */
export function findDestinations(query: string, { bundles, keys }: Places): Destination[] {
  const found = PAGES.filter(({ name }) => matches(name, query))
  for (const { id, name } of bundles) {
    if (found.length >= MOST) return found
    if (matches(name, query)) found.push({ id, kind: 'Bundle', name, href: `/bundles/${id}` })
  }
  for (const { id, name } of keys) {
    if (found.length >= MOST) return found
    if (matches(name, query)) found.push({ id, kind: 'Key', name, href: `/keys/${id}` })
  }
  return found
}
