import type { EnvError } from '@keyferry/contract/env'
import { Notice } from '../../ui/notice.tsx'
import type { Decisions, PlanRow, State } from './plan.ts'
import { PreviewRow } from './preview-row.tsx'

const COUNTS: readonly { states: readonly State[]; text: string }[] = [
  { states: ['new'], text: 'new' },
  { states: ['changed', 'hidden'], text: 'replaced' },
  { states: ['same', 'masked'], text: 'kept' },
]

type ImportPreviewProps = {
  rows: readonly PlanRow[]
  problems: readonly EnvError[]
  notes: readonly string[]
  decisions: Decisions
  onDecide: (decisions: Decisions) => void
}

/** What importing would do, line by line, before anything is written. */
export function ImportPreview({ rows, problems, notes, decisions, onDecide }: ImportPreviewProps) {
  const skip = (name: string, skipped: boolean) => {
    const next = new Set(decisions.skipped)
    if (skipped) next.add(name)
    else next.delete(name)
    onDecide({ ...decisions, skipped: next })
  }
  const decideSecret = (name: string, secret: boolean) =>
    onDecide({ ...decisions, secret: new Map(decisions.secret).set(name, secret) })
  return (
    <section aria-labelledby="preview">
      <h2 id="preview" className="text-sm font-semibold">
        Preview <span className="font-normal text-ink-soft">{summary(rows, problems)}</span>
      </h2>
      {notes.length > 0 && <Notes notes={notes} />}
      {problems.length > 0 && <InvalidLines problems={problems} />}
      <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
        {rows.map((row) => (
          <PreviewRow
            key={row.entry.name}
            row={row}
            skipped={decisions.skipped.has(row.entry.name)}
            secret={decisions.secret.get(row.entry.name) ?? row.guessedSecret}
            onSkip={skip}
            onSecret={decideSecret}
          />
        ))}
      </ul>
    </section>
  )
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <Notice tone="plain" className="mt-2">
      <ul className="space-y-0.5">
        {notes.map((note) => (
          <li key={note} className="first-letter:uppercase">
            {note}.
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function InvalidLines({ problems }: { problems: readonly EnvError[] }) {
  return (
    <Notice tone="danger" role="status" className="mt-2">
      <ul className="space-y-0.5">
        {problems.map(({ line, problem }) => (
          <li key={`${line} ${problem}`}>
            <strong className="font-semibold">Line {line}</strong>: {problem}.
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function summary(rows: readonly PlanRow[], problems: readonly EnvError[]): string {
  const parts = COUNTS.map(({ states, text }) => ({
    text,
    count: rows.filter(({ state }) => states.includes(state)).length,
  }))
  return [...parts, { text: 'invalid', count: problems.length }]
    .filter(({ count }) => count > 0)
    .map(({ text, count }) => `${count} ${text}`)
    .join(', ')
}
