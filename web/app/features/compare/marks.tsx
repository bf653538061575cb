import { COMPARED_WORDS } from '@keyferry/contract/compared'
import type { ComparedCell } from '../../lib/calls/answers.ts'
import { Braces, Circle, Link2, Plus } from '../../ui/icons.ts'

const MARKS = {
  shared: { Icon: Link2, look: 'text-accent', meaning: 'one key, one value' },
  own: { Icon: Circle, look: 'text-ink-soft', meaning: 'a key that none of the others uses' },
  missing: {
    Icon: Plus,
    look: 'text-caution',
    meaning: 'not delivered; choose it to add it, or select the row to copy it',
  },
} as const satisfies Record<ComparedCell['state'], object>

const MARKED = Object.entries(MARKS) as [keyof typeof MARKS, (typeof MARKS)[keyof typeof MARKS]][]

/** The mark of a cell; its text is for screen readers. */
export function Mark({ state }: { state: ComparedCell['state'] }) {
  const { Icon, look } = MARKS[state]
  return (
    <>
      <Icon aria-hidden size={16} className={`shrink-0 ${look}`} />
      <span className="sr-only">{COMPARED_WORDS[state]}: </span>
    </>
  )
}

/** Beside the mark of a key whose value each bundle composes. */
export function ComposedMark() {
  return <Braces aria-hidden size={13} className="shrink-0 text-ink-soft" />
}

/** What the marks mean. */
export function Legend({ hasComposed }: { hasComposed: boolean }) {
  return (
    <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-soft">
      {MARKED.map(([state, { Icon, look, meaning }]) => (
        <li key={state} className="inline-flex items-center gap-1.5">
          <Icon aria-hidden size={14} className={`shrink-0 ${look}`} />
          <span>
            <strong className="font-medium text-ink">{COMPARED_WORDS[state]}</strong>: {meaning}
          </span>
        </li>
      ))}
      {hasComposed && (
        <li className="inline-flex items-center gap-1.5">
          <Braces aria-hidden size={14} className="shrink-0" />
          <span>
            <strong className="font-medium text-ink">Composed</strong>: built from other values of the bundle,
            so it may differ where the key is shared
          </span>
        </li>
      )}
    </ul>
  )
}
