import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { isTyping } from '../../ui/search-field.tsx'

const AFTER_G: Readonly<Record<string, string>> = {
  b: '/bundles',
  k: '/keys',
  c: '/compare',
  m: '/machines',
  s: '/settings',
  a: '/account',
  t: '/activity',
  w: '/waiting',
  i: '/bundles/import',
}
const SEQUENCE_MS = 1_000

/** Ctrl or Cmd with K opens the palette; G and then a letter goes to a place. */
export function useShortcuts(enabled: boolean, onPalette: () => void): void {
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
      const place = event.timeStamp - gAtMs < SEQUENCE_MS ? AFTER_G[event.key] : undefined
      gAtMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (place !== undefined) navigate(place)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [enabled, onPalette, navigate])
}

function dialogIsOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}
