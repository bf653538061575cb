import { Lock } from 'lucide-react'
import { classNames } from './class-names.ts'

type KeyValueProps = { value: string; isSecret: boolean; className?: string }

/** A key's value where it may be seen, one line of it; a secret's place is marked instead. */
export function KeyValue({ value, isSecret, className }: KeyValueProps) {
  if (isSecret) {
    return (
      <span className="inline-flex items-center gap-1.5 text-xs text-ink-faint">
        <Lock aria-hidden size={13} /> Secret
      </span>
    )
  }
  return (
    <span title={value} className={classNames('truncate font-mono text-xs text-ink-soft', className)}>
      {value === '' ? '(empty)' : value}
    </span>
  )
}
