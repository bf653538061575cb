import { createListeners, keepText, keptText } from './kept.ts'
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export const THEME_NAMES = { system: 'as the system', light: 'light', dark: 'dark' } as const

const STORED = 'keyferry.theme'

/** The theme the person chose on this device, or the system's. */
export function chosenTheme(): Theme {
  const stored = keptText(STORED)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

const listeners = createListeners()

export const onTheme = listeners.subscribe

/** The theme that this page shows. */
export const shownTheme = (): Theme =>
  THEMES.find((theme) => theme === document.documentElement.dataset['theme']) ?? 'system'

/** Show a theme and remember it on this device. */
export function chooseTheme(theme: Theme): void {
  keepText(STORED, theme === 'system' ? null : theme)
  applyTheme(theme)
  listeners.notify()
}

/** Show a theme: the colour tokens follow the attribute. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
