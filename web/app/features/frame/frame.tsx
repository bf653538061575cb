import { type Query, useQueryClient } from '@tanstack/react-query'
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { Link, useLocation } from 'wouter'
import type { ApprovalKey, LastingAct } from '../../lib/calls/answers.ts'
import { pageWorkspace } from '../../lib/calls/workspace.ts'
import { useApprovalKeys, useLastingActs } from '../../lib/data/approval-keys.ts'
import { useMe } from '../../lib/data/me.ts'
import { createListeners, keepText, keptText } from '../../lib/page/kept.ts'
import { PLACES } from '../../lib/page/places.ts'
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx'
import { Face } from '../../ui/face.tsx'
import { Search } from '../../ui/icons.ts'
import { Placed } from '../../ui/placed.tsx'
import { isTyping } from '../../ui/search-field.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { BottomBar, Navigation } from './navigation.tsx'
import { WaitingLink } from './waiting-link.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

type FrameProps = {
  signedIn: boolean
  /** Whether the page belongs to a workspace. */
  inWorkspace: boolean
  onPalette: () => void
  children: ReactNode
}

/** What surrounds every page: the mark, the workspace, and the places. */
export function Frame({ signedIn, inWorkspace, onPalette, children }: FrameProps) {
  useShortcuts(inWorkspace, onPalette)
  const page = useRef<HTMLDivElement>(null)
  const [drawn, isDrawn] = useDrawn(page)
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#page"
        className="sr-only rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
      >
        Skip to the page
      </a>
      <header className="sticky top-0 z-20 border-b border-line bg-canvas px-4 sm:px-6 print:static">
        <div
          className="mx-auto flex h-13 max-w-wide items-center gap-2 sm:h-14"
          style={{ opacity: Number(drawn !== '') }}
        >
          <Link href="/" className="mr-1 inline-flex shrink-0 rounded-sm">
            <Wordmark short={signedIn} />
          </Link>
          {signedIn && <WorkspaceSwitcher />}
          {inWorkspace && <Navigation />}
          <div className="ml-auto flex items-center gap-1 print:hidden">
            {inWorkspace && <PaletteButton onPalette={onPalette} />}
            {inWorkspace && <WaitingLink />}
            <ThemeSwitch />
            {inWorkspace && <AccountLink />}
          </div>
        </div>
      </header>
      <main id="page" tabIndex={-1} className="flex-1 px-4 pt-5 pb-24 sm:px-6 sm:pt-8 sm:pb-16">
        <div className="relative mx-auto max-w-wide">
          <div ref={page} aria-busy={!isDrawn} style={{ opacity: Number(isDrawn) }}>
            {children}
          </div>
          {!isDrawn && <Coming />}
        </div>
      </main>
      {inWorkspace && <BottomBar />}
      {inWorkspace && <KeyNews />}
    </div>
  )
}

/** The address whose page is drawn, and whether that is this one. A page is drawn once all that it asks for at first has
 * come, so that nothing on it moves. */
function useDrawn(page: RefObject<HTMLElement | null>): [drawn: string, isDrawn: boolean] {
  const client = useQueryClient()
  const [path] = useLocation()
  const [drawn, setDrawn] = useState('')
  useLayoutEffect(() => {
    let quietFrames = 0
    const look = () => {
      const isComing =
        client.isFetching({ predicate: isFirst }) > 0 ||
        page.current?.querySelector('[data-awaited]') !== null
      quietFrames = isComing ? 0 : quietFrames + 1
      if (quietFrames === QUIET_FRAMES) setDrawn(path)
      else frame = requestAnimationFrame(look)
    }
    let frame = requestAnimationFrame(look)
    return () => cancelAnimationFrame(frame)
  }, [path, client, page])
  return [drawn, drawn === path]
}

const QUIET_FRAMES = 3

const isFirst = ({ state }: Query) => state.data === undefined && state.fetchFailureCount === 0

/** In the place of a page, once the wait is noticeable. */
function Coming() {
  return (
    <div aria-hidden className="late absolute inset-x-0 top-0">
      <div className="animate-pulse space-y-6">
        <div className="h-7 w-48 rounded-sm bg-sunken" />
        <div className="h-80 rounded-lg bg-surface shadow-card" />
      </div>
    </div>
  )
}

function PaletteButton({ onPalette }: { onPalette: () => void }) {
  const keys = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'
  return (
    <>
      <button
        type="button"
        onClick={onPalette}
        aria-keyshortcuts="Control+K Meta+K"
        className="hidden h-8 items-center gap-2 rounded-md border border-line bg-surface px-3 text-xs whitespace-nowrap text-ink-faint hover:border-edge lg:inline-flex"
      >
        <Search aria-hidden size={16} />
        Go to…
        <kbd className="text-xs">{keys}</kbd>
      </button>
      <IconButton label="Go to…" onClick={onPalette} className="lg:hidden" icon={Search} px={18} />
    </>
  )
}

function AccountLink() {
  const me = useMe().data
  return (
    <Link
      href="/settings"
      aria-label="Settings"
      title="Settings"
      className="ml-1 hidden rounded-full sm:inline-flex"
    >
      <Face id={me?.user_id ?? ''} name={me?.username ?? ''} />
    </Link>
  )
}

const SEQUENCE_MS = 1_000

/** Ctrl or Cmd with K opens the palette; G and then a letter goes to a place. */
function useShortcuts(enabled: boolean, onPalette: () => void): void {
  const [, navigate] = useLocation()
  // Kept over renders: one may come between the two letters.
  const gAtMs = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    if (!enabled) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return onPalette()
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || dialogIsOpen()) return
      const place =
        event.timeStamp - gAtMs.current < SEQUENCE_MS
          ? PLACES.find(({ key }) => key === event.key)
          : undefined
      gAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (place !== undefined) navigate(place.href)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled, onPalette, navigate])
}

function dialogIsOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** A banner for an owner: approval keys changed, or a signed change waits. It stays until *Seen*. */
function KeyNews() {
  const me = useMe().data
  if (me?.role !== 'owner' || me.auth_mode === 'local') return null
  return <OwnersNews stored={`keyferry.seen-keys.${pageWorkspace()}.${me.user_id}`} />
}

const listeners = createListeners()

function OwnersNews({ stored }: { stored: string }) {
  const keys = useApprovalKeys().data?.keys
  const acts = useLastingActs().data
  const seen = useSyncExternalStore(listeners.subscribe, () => keptText(stored))?.split(' ') ?? []
  if (keys === undefined || acts === undefined) return null
  const text = newsIn(keys, acts, seen)
  if (text === null) return null
  const see = () => {
    keepText(stored, [...keys.map(markOf), ...acts.map(({ id }) => id)].join(' '))
    listeners.notify()
  }
  return (
    <Placed isShown>
      <div className="flex w-full max-w-read flex-wrap items-center gap-2 rounded-md bg-raised py-2 pr-2 pl-4 text-sm shadow-floating">
        <p className="flex-1 basis-52">{text}</p>
        <ButtonLink href="/members" size="small" label="See Members" />
        <Button label="Seen" size="small" onClick={see} />
      </div>
    </Placed>
  )
}

// The mark of a key changes once it signs. While its confirmation waits, that act is the news.
const markOf = ({ id, state, confirmed_by }: ApprovalKey) =>
  `${id}/${(state === 'active' && confirmed_by) || ''}`

function newsIn(keys: ApprovalKey[], acts: LastingAct[], seen: string[]): string | null {
  const fresh = keys.filter((key) => !seen.includes(markOf(key)))
  const isGone = seen.some((mark) => mark.includes('/') && !keys.some(({ id }) => mark.startsWith(id)))
  // All that is new, so that no warning hides behind harmless news.
  const parts = [
    acts.some(({ id }) => !seen.includes(id)) && 'a signed change waits for another owner or for a day',
    fresh.some(({ state }) => state === 'pending') && 'an approval key waits for its confirmation',
    (isGone || fresh.some(({ state }) => state === 'active')) && 'approval keys were confirmed or removed',
  ].filter((part) => part !== false)
  return parts.length === 0 ? null : `New: ${parts.join(' and ')}.`
}
