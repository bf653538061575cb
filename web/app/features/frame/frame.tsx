import { type Query, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useMe } from '../../lib/data/me.ts'
import { PLACES } from '../../lib/page/places.ts'
import { IconButton } from '../../ui/button.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { Face } from '../../ui/face.tsx'
import { Search } from '../../ui/icons.ts'
import { Skeleton } from '../../ui/loaded.tsx'
import { isTyping } from '../../ui/search-field.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { BottomBar, Navigation } from './navigation.tsx'
import { WaitingLink } from './waiting-link.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

const KeyNews = deferred('KeyNews', () => import('./key-news.tsx'))
const Shortcuts = deferred('Shortcuts', () => import('./shortcuts.tsx'))

type FrameProps = {
  signedIn: boolean
  /** Whether the page belongs to a workspace. */
  inWorkspace: boolean
  onPalette: () => void
  children: ReactNode
}

/** What surrounds every page: the mark, the workspace, and the places. */
export function Frame({ signedIn, inWorkspace, onPalette, children }: FrameProps) {
  const [showsKeys, showKeys] = useState(false)
  useShortcuts(inWorkspace, onPalette, () => showKeys(true))
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
          {!isDrawn && (
            <div className="absolute inset-x-0 top-0">
              <Skeleton what="the page" />
            </div>
          )}
        </div>
      </main>
      {inWorkspace && <BottomBar />}
      {inWorkspace && <KeyNews />}
      {showsKeys && <Shortcuts onClose={() => showKeys(false)} />}
    </div>
  )
}

/** The address whose page is drawn, and whether that is this one. A page is drawn once all that it asks for at first
 * has come, so that nothing on it moves. */
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
  const { user_id: id = '', username: name = '' } = useMe().data ?? {}
  return (
    <Link
      href="/settings"
      aria-label="Settings"
      title="Settings"
      className="ml-1 hidden rounded-full sm:inline-flex"
    >
      <Face {...{ id, name }} />
    </Link>
  )
}

const SEQUENCE_MS = 1_000

/** Ctrl or Cmd with K opens the palette; G and then a letter goes to a place; a question mark lists all keys. */
function useShortcuts(enabled: boolean, onPalette: () => void, onHelp: () => void): void {
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
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key === '?') return onHelp()
      const place =
        event.timeStamp - gAtMs.current < SEQUENCE_MS
          ? PLACES.find(({ key }) => key === event.key)
          : undefined
      gAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (place !== undefined) navigate(place.href)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled, onPalette, onHelp, navigate])
}
