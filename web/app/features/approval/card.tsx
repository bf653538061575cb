import type { ReactNode } from 'react'
import { classNames } from '../../ui/class-names.ts'
import type { IconComponent } from '../../ui/icon.tsx'

/** What the page is about: one card, which grows downwards only. A phone gives it the whole screen. Nothing is below
 * it, so that scrolling never moves buttons that stick to the bottom. */
export function Card({ children }: { children: ReactNode }) {
  return (
    <div className="flex flex-1 flex-col bg-surface sm:mx-auto sm:mt-[clamp(0.5rem,9vh,7rem)] sm:w-[calc(100%-2rem)] sm:max-w-read sm:flex-none sm:overflow-clip sm:rounded-lg sm:shadow-card">
      {children}
    </div>
  )
}

const RIBBONS = {
  production: 'items-center bg-danger-fill text-on-danger font-semibold',
  danger: 'items-start bg-danger-soft',
  agent: 'items-center bg-sunken font-semibold',
} as const

type RibbonProps = {
  tone: keyof typeof RIBBONS
  Icon: IconComponent
  action?: ReactNode
  children: ReactNode
}

/** The first thing to know, across the top of the card. */
export function Ribbon({ tone, Icon, action, children }: RibbonProps) {
  return (
    <div className={classNames('flex gap-3 px-4 py-3 sm:px-8', RIBBONS[tone])}>
      <Icon
        aria-hidden
        size={16}
        className={classNames('mt-[3px] shrink-0 self-start', tone === 'danger' && 'text-danger')}
      />
      <div className="min-w-0 flex-1 overflow-clip [overflow-clip-margin:4px]">{children}</div>
      {action}
    </div>
  )
}

const MARKS = {
  plain: 'text-ink-faint',
  good: 'text-good',
  danger: 'text-danger',
} as const

type FactProps = {
  Icon: IconComponent
  tone?: keyof typeof MARKS
  /** A second line, smaller. */
  small?: ReactNode
  /** One quiet action, at the right edge. */
  action?: ReactNode
  children: ReactNode
}

/** One thing to know before a decision: an icon, a sentence, and at most one action. */
export function Fact({ Icon, tone = 'plain', small, action, children }: FactProps) {
  return (
    <div className={classNames('flex gap-3 py-1.5', tone === 'good' && 'text-good')}>
      <Mark {...{ Icon, tone }} />
      <div className="min-w-0 flex-1 overflow-clip [overflow-clip-margin:4px]">
        {children}
        {small !== undefined && <div className="text-xs text-ink-faint">{small}</div>}
      </div>
      {action}
    </div>
  )
}

type OpenFactProps = Omit<FactProps, 'action' | 'tone'> & {
  /** What unfolds it. */
  label: string
  sentence: ReactNode
  onToggle?: (isOpen: boolean) => void
}

/** A fact with more to read, folded away. */
export function OpenFact({ Icon, label, sentence, small, onToggle, children }: OpenFactProps) {
  return (
    <details className="group py-1.5" onToggle={(event) => onToggle?.(event.currentTarget.open)}>
      <summary className="flex list-none gap-3 rounded-sm [&::-webkit-details-marker]:hidden">
        <Mark Icon={Icon} tone="plain" />
        <span className="min-w-0 flex-1 overflow-clip [overflow-clip-margin:4px]">
          <span className="block">{sentence}</span>
          {small !== undefined && <span className="block text-xs text-ink-faint">{small}</span>}
        </span>
        <span className="self-start pt-px text-xs font-medium text-ink-soft hover:text-ink">
          <span className="group-open:hidden">{label}</span>
          <span className="hidden group-open:inline">Hide</span>
        </span>
      </summary>
      <div className="pt-2 pb-1 pl-7">{children}</div>
    </details>
  )
}

function Mark({ Icon, tone }: { Icon: IconComponent; tone: keyof typeof MARKS }) {
  return <Icon aria-hidden size={16} className={classNames('mt-[3px] shrink-0', MARKS[tone])} />
}
