import { useSyncExternalStore } from 'react'
import { chooseTheme, onTheme, shownTheme, THEME_NAMES, THEMES } from '../lib/page/theme.ts'
import { IconButton } from './button.tsx'
import { Monitor, Moon, Sun } from './icons.ts'

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const

/** Steps through the themes: as the system, light, dark. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(onTheme, shownTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <IconButton
      label={`Theme: ${THEME_NAMES[theme]}. Change to ${THEME_NAMES[next]}`}
      onClick={() => chooseTheme(next)}
      icon={ICONS[theme]}
      px={18}
    />
  )
}
