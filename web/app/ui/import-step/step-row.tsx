import type { ReactNode } from 'react'
import type { ImportChoice, ImportStep } from '../../lib/calls/answers.ts'
import { noteOf } from '../../lib/words/import-steps.ts'
import { ago } from '../../lib/words/time.ts'
import { StepChoice } from './step-choice.tsx'
import { ValueChange } from './value-change.tsx'

type StepRowProps = {
  name: string
  /** What the plan does with the variable; undefined for one that is left out, and while there is no plan. */
  step: (ImportStep & { old_value?: string | undefined; new_value?: string | undefined }) | undefined
  /** The bundle whose value it is. */
  from?: string | undefined
  /** Where it comes from otherwise. */
  about?: string | undefined
  /** The new value, where there is no plan. */
  value?: string | undefined
  /** What looks wrong with its value. */
  warnings?: readonly string[]
  /** A box before the name. */
  lead?: ReactNode
  /** Absent where nothing can be chosen. */
  onChoose?: (name: string, choice: ImportChoice) => void
  /** Where the person decides whether it is secret. Otherwise the row says it. */
  mark?: ReactNode
}

/** What a plan does with one variable. Its values are shown only where they are not secret. */
export function StepRow(props: StepRowProps) {
  const { name, step, from, about, value, warnings = [], lead, onChoose, mark } = props
  const known = step?.is_secret ? 'Secret' : 'Readable'
  const said = step && !mark && (from === undefined ? known : `${known}, as in ${from}`)
  const note = step && noteOf(step).replace(/^(?: · |, )/, '')
  return (
    <PlanRow
      lead={lead}
      head={
        <p translate="no" className="font-mono text-sm font-medium break-all text-ink">
          {name}
        </p>
      }
      note={[about, said, note].filter(Boolean).join(' · ')}
      choice={
        <>
          {step && <StepChoice step={step} onChoose={onChoose} />}
          {mark}
        </>
      }
    >
      {step?.changed && (
        <p className="text-xs font-medium text-caution">
          Changed by {step.changed.by ?? 'another person'} {ago(step.changed.at)}. The sender did not see this
          change.
        </p>
      )}
      <ValueChange before={step?.old_value} after={step?.new_value ?? value} />
      {warnings.length > 0 && <p className="text-xs text-caution">{warnings.join(' ')}</p>}
    </PlanRow>
  )
}

type PlanRowProps = {
  lead?: ReactNode
  /** The variable, or the field for its value, which takes the whole width of a phone. */
  head: ReactNode
  isField?: boolean
  /** What happens, in words. */
  note: string
  /** What a person can choose instead. */
  choice: ReactNode
  children?: ReactNode
}

/** A row of a plan: what gets a value, what happens to it, and the other choices. */
export function PlanRow({ lead, head, isField = false, note, choice, children }: PlanRowProps) {
  const place = isField ? 'max-sm:order-last max-sm:basis-full' : 'basis-40'
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2">
      {lead}
      <div className={`min-w-0 flex-1 ${place}`}>
        {head}
        {note !== '' && <p className="text-xs text-ink-soft">{note}</p>}
        {children}
      </div>
      {choice}
    </li>
  )
}
