import { classNames } from './class-names.ts'
import { Lock } from './icons.ts'

// A value may be 64 KiB; one line shows no more than this.
const MOST_SHOWN = 200

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
  const line = value.slice(0, MOST_SHOWN)
  return (
    <span
      translate="no"
      title={line}
      className={classNames('truncate font-mono text-xs text-ink-soft', className)}
    >
      {line === '' ? '(empty)' : line}
    </span>
  )
}
