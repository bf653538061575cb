export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED = 'keyferry.theme'

/** The theme the person chose on this device, or the system's. */
export function chosenTheme(): Theme {
  const stored = readStored()
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Show a theme and remember it on this device. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, theme)
  } catch {
    // A browser that keeps nothing shows the theme until the page is closed.
  }
  applyTheme(theme)
}

/** Show a theme: the colour tokens follow the attribute. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}
