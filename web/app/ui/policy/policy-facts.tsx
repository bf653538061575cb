import type { Policy } from '../../lib/calls/answers.ts'
import { FIELDS, LABELS, nameOfChoice } from './policy-words.ts'

/** The rules that count, for a person who cannot change them. */
export function PolicyFacts({ effective }: { effective: Policy }) {
  return (
    <dl className="grid max-w-xl gap-y-1 rounded-lg border border-line bg-surface p-4 text-sm sm:grid-cols-[16rem_1fr]">
      {FIELDS.map((field) => (
        <div key={field} className="contents">
          <dt className="text-ink-soft">{LABELS[field]}</dt>
          <dd className="mb-2 sm:mb-0">{nameOfChoice(field, effective[field])}</dd>
        </div>
      ))}
    </dl>
  )
}
