import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../lib/page/theme.ts'
import { IconButton } from './icon-button.tsx'

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const
const NAMES = { system: 'as the system', light: 'light', dark: 'dark' } as const

/** Steps through the themes: as the system, light, dark. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const Icon = ICONS[theme]
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const step = () => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <IconButton
      label={`Theme: ${NAMES[theme]}. Change to ${NAMES[next]}`}
      onClick={step}
      icon={Icon}
      px={18}
    />
  )
}
