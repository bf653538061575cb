import type { Called } from '../calls/call.ts'
import * as modules from '../modules.ts'

/** A place of the app: an address within the workspace. */
export type AppPlace = {
  href: string
  name: string
  /** It is in the navigation. */
  tab?: true
  /** Other addresses at which, and below which, the navigation marks it. */
  also?: readonly string[]
  /** The letter that opens it after G. */
  key?: string
  /** The operation without which nothing is there. */
  needs?: Called
  /** It starts an action there. */
  isAction?: true
}

/** Every place with a fixed address, in the order of the navigation: its tabs, its shortcuts and what the palette
 * finds. A new page is one line here and its component in routes.tsx. */
export const PLACES: readonly AppPlace[] = [
  { href: '/', name: 'Applications', tab: true, also: ['/apps', '/bundles', '/keys', '/expiry'], key: 'b' },
  { href: '/activity', name: 'Activity', tab: true, key: 't' },
  ...Object.values<{ places: readonly AppPlace[] }>(modules).flatMap(({ places }) => places),
  { href: '/members', name: 'Members', tab: true, key: 'p' },
  { href: '/rules', name: 'Rules', tab: true, key: 'r' },
  { href: '/settings', name: 'Settings', tab: true, key: 's' },
  { href: '/bundles/import', name: 'Bring in a .env file', key: 'i', isAction: true },
  { href: '/expiry', name: 'What expires', key: 'e' },
  { href: '/?show=unused', name: 'Variables in no bundle', key: 'k' },
  { href: '/?new=bundle', name: 'New bundle', isAction: true },
  { href: '/members?invite=1', name: 'Invite a member', isAction: true, needs: 'createInvitation' },
  { href: '/bundles/move', name: 'Bring in another server', isAction: true, needs: 'moveLibrary' },
]

/** The page of a bundle's application, at this environment. */
export const applicationHref = (bundleName: string, asked = new URLSearchParams()) =>
  `/apps/${bundleName}${asked.size > 0 ? `?${asked}` : ''}`
