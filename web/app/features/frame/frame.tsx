import { type ReactNode, useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { PLACES } from '../../lib/page/places.ts'
import { IconButton } from '../../ui/button.tsx'
import { Search } from '../../ui/icons.ts'
import { isTyping } from '../../ui/search-field.tsx'
import { ThemeSwitch } from '../../ui/theme-switch.tsx'
import { Wordmark } from '../../ui/wordmark.tsx'
import { Navigation } from './navigation.tsx'
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
  return (
    <div className="mx-auto flex min-h-dvh max-w-5xl flex-col px-4 sm:px-6">
      <a
        href="#page"
        className="sr-only rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:absolute focus:z-50"
      >
        Skip to the page
      </a>
      <header className="border-b border-line">
        <div className="flex min-h-14 items-center gap-2">
          <Link href="/" className="mr-1 inline-flex shrink-0 rounded-sm">
            <Wordmark />
          </Link>
          {signedIn && <WorkspaceSwitcher />}
          <div className="ml-auto flex items-center print:hidden">
            {inWorkspace && <WaitingLink />}
            {inWorkspace && <PaletteButton onPalette={onPalette} />}
            <ThemeSwitch />
          </div>
        </div>
        {inWorkspace && <Navigation />}
      </header>
      <main id="page" tabIndex={-1} className="flex-1 pt-6 pb-24 sm:pb-16">
        {children}
      </main>
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
        className="hidden min-h-10 items-center gap-2 rounded-md border border-line bg-surface px-3 text-sm text-ink-soft hover:bg-sunken sm:inline-flex"
      >
        <Search aria-hidden size={15} />
        Go to…
        <kbd className="font-sans text-xs text-ink-faint">{keys}</kbd>
      </button>
      <IconButton label="Go to…" onClick={onPalette} className="sm:hidden" icon={Search} px={18} />
    </>
  )
}

const SEQUENCE_MS = 1_000

/** Ctrl or Cmd with K opens the palette; G and then a letter goes to a place. */
function useShortcuts(enabled: boolean, onPalette: () => void): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    if (!enabled) return undefined
    let gAtMs = Number.NEGATIVE_INFINITY
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return onPalette()
      }
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || dialogIsOpen()) return
      const place =
        event.timeStamp - gAtMs < SEQUENCE_MS ? PLACES.find(({ key }) => key === event.key) : undefined
      gAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (place !== undefined) navigate(place.href)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled, onPalette, navigate])
}

function dialogIsOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}
