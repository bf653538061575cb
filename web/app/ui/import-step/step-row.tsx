import type { ReactNode } from 'react'
import type { ImportChoice, ImportStep } from '../../lib/calls/answers.ts'
import { noteOf } from '../../lib/words/import-steps.ts'
import { ago } from '../../lib/words/time.ts'
import { StepChoice } from './step-choice.tsx'
import { ValueChange } from './value-change.tsx'

type StepRowProps = {
  step: ImportStep & { old_value?: string | undefined; new_value?: string | undefined }
  onChoose: (name: string, choice: ImportChoice) => void
  children?: ReactNode
}

/** What a plan does with one variable. Its values are shown only where they are not secret. */
export function StepRow({ step, onChoose, children }: StepRowProps) {
  const note = noteOf(step).replace(/^(?: · |, )/, '')
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-mono text-sm font-medium break-all">{step.name}</p>
        <p className="text-xs text-ink-soft first-letter:uppercase">
          {[step.is_secret ? 'secret' : 'not secret', note].filter((text) => text !== '').join(' · ')}
        </p>
        {step.changed && (
          <p className="text-xs font-medium text-caution">
            Changed by {step.changed.by ?? 'another person'} {ago(step.changed.at)}. The sender did not see
            this change.
          </p>
        )}
        <ValueChange before={step.old_value} after={step.new_value} />
      </div>
      {children}
      <StepChoice step={step} onChoose={onChoose} />
    </li>
  )
}
