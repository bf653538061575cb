import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

const TONES = {
  plain: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent',
  caution: 'bg-caution-soft text-caution',
  good: 'bg-good-soft text-good',
  danger: 'bg-danger-soft text-danger',
} as const

/** One word about the thing beside it. */
export function Badge({ tone = 'plain', children }: { tone?: keyof typeof TONES; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1 rounded-sm px-1.5 py-0.5 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}
