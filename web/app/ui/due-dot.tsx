import { classNames } from './class-names.ts'

/** `later`: not due yet. */
export type DueKind = 'expired' | 'due' | 'later'

const LOOKS: Readonly<Record<DueKind, string>> = {
  expired: 'rotate-45 rounded-[1px] bg-danger-fill',
  due: 'rounded-full bg-caution-dot',
  later: 'rounded-full border-[1.5px] border-edge',
}

/** A diamond for what has expired, a dot for what is due, a ring for later: never by colour alone. What is beside it
 * says the same in words. */
export function DueDot({ kind }: { kind: DueKind }) {
  return (
    <span
      aria-hidden
      className={classNames('inline-block size-2 shrink-0 forced-color-adjust-none', LOOKS[kind])}
    />
  )
}

/** The colour of words about it. */
export const DUE_TEXT: Readonly<Record<DueKind, string>> = {
  expired: 'text-danger',
  due: 'text-caution',
  later: 'text-ink-soft',
}
