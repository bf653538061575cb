/** A place of the app: the address within the workspace, its name, and other addresses that belong to it. */
export type Place = { href: string; name: string; also?: readonly string[]; forOwners?: true }

/** The app's places, in order. A new place is one line here and its page in routes.tsx. */
export const PLACES: readonly Place[] = [
  { href: '/bundles', name: 'Bundles', also: ['/'] },
  { href: '/keys', name: 'Keys' },
  { href: '/compare', name: 'Compare' },
  { href: '/activity', name: 'Activity', forOwners: true },
  { href: '/machines', name: 'Machines' },
  { href: '/settings', name: 'Settings', also: ['/members'] },
  { href: '/account', name: 'Account' },
]

/** How many places a phone's bottom bar shows; the others are behind *More*. */
export const IN_BAR = 3

/** Whether an address belongs to a place. */
export function isAt({ href, also = [] }: Place, path: string): boolean {
  return path === href || path.startsWith(`${href}/`) || also.includes(path)
}
