import type { ReactNode } from 'react'
import { failureText } from '../lib/calls/failure.ts'
import { classNames } from './class-names.ts'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from './icons.ts'

const TONES = {
  plain: { look: 'bg-sunken text-ink', mark: 'text-ink-soft', Icon: Info },
  good: { look: 'bg-good-soft text-ink', mark: 'text-good', Icon: CircleCheck },
  caution: { look: 'bg-caution-soft text-ink', mark: 'text-caution', Icon: TriangleAlert },
  danger: { look: 'bg-danger-soft text-ink', mark: 'text-danger', Icon: TriangleAlert },
  problem: { look: 'bg-sunken text-ink', mark: 'text-ink', Icon: CircleAlert },
} as const

type NoticeProps = {
  tone: keyof typeof TONES
  children: ReactNode
  className?: string | undefined
  role?: 'alert' | 'status'
}

/** A highlighted note; with a role, screen readers announce it when it appears. Red is for what changes production, and
 * for a danger that needs an act; amber for secrets and dates. */
export function Notice({ tone, children, className, role }: NoticeProps) {
  const { look, mark, Icon } = TONES[tone]
  return (
    <div role={role} className={classNames('flex gap-2.5 rounded-md px-3 py-2.5 text-sm', look, className)}>
      <Icon aria-hidden size={18} className={classNames('mt-0.5 shrink-0', mark)} />
      <div className="min-w-0 flex-1 overflow-clip [overflow-clip-margin:4px]">{children}</div>
    </div>
  )
}

type FailureNoticeProps = { error: unknown; act: string; className?: string }

/** Says which act failed, and why; nothing while there is no error. */
export function FailureNotice({ error, act, className }: FailureNoticeProps) {
  return <Problem text={failureText(error, act)} className={className} />
}

/** Says at once what is wrong; nothing without a text. */
export function Problem({ text, className }: { text: string | null; className?: string | undefined }) {
  if (text === null) return null
  return (
    <Notice tone="problem" role="alert" className={className}>
      {text}
    </Notice>
  )
}
