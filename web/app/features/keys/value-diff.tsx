import { useMemo } from 'react'
import { type DiffLine, lineDiff } from '../../lib/rules/line-diff.ts'
import { classNames } from '../../ui/class-names.ts'

const MARKS = { same: ' ', gone: '-', new: '+' } as const
const LOOKS = { same: 'text-ink-soft', gone: 'bg-danger-soft', new: 'bg-good-soft' } as const
const SPOKEN = { same: '', gone: 'removed: ', new: 'added: ' } as const
const MOST_LINES = 400

/** What changed between an older value and the current one, line by line. */
export function ValueDiff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after])
  return (
    <figure className="mt-2 mb-1">
      <figcaption className="text-xs text-ink-soft">From this version (-) to the current one (+)</figcaption>
      <pre
        className="mt-1 max-h-80 overflow-auto rounded-md border border-line bg-sunken py-1 font-mono text-xs whitespace-pre-wrap"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long comparison scrolls by the keyboard
        tabIndex={0}
      >
        {lines.slice(0, MOST_LINES).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison neither move nor change
          <Line key={index} line={line} />
        ))}
        {lines.length > MOST_LINES && <span className="px-3">{lines.length - MOST_LINES} more lines</span>}
      </pre>
    </figure>
  )
}

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <span className={classNames('block px-3', LOOKS[kind])}>
      <span aria-hidden>{MARKS[kind]} </span>
      {kind !== 'same' && <span className="sr-only">{SPOKEN[kind]}</span>}
      {text}
    </span>
  )
}
