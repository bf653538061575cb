import type { ImportChoice, ProposalPlan } from '../../lib/calls/answers.ts'
import { noteOf } from '../../lib/words/import-steps.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { StepChoice } from '../../ui/import-step/step-choice.tsx'
import { ValueChange } from '../../ui/import-step/value-change.tsx'

type ProposedStepProps = {
  step: ProposalPlan['plan'][number]
  onChoose: (name: string, choice: ImportChoice) => void
  onMark: (name: string, isSecret: boolean) => void
}

/** What storing a proposal does with one variable. The mark can be changed where the owner reads the value. */
export function ProposedStep({ step, onChoose, onMark }: ProposedStepProps) {
  const { name, is_secret, old_value, new_value } = step
  const note = noteOf(step).replace(/^(?: · |, )/, '')
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="font-mono text-sm font-medium break-all">{name}</p>
        <p className="text-xs text-ink-soft first-letter:uppercase">
          {[is_secret ? 'secret' : 'not secret', note].filter((text) => text !== '').join(' · ')}
        </p>
        <ValueChange before={old_value} after={new_value} />
      </div>
      {new_value !== undefined && (
        <Checkbox
          className="inline-flex min-h-7 items-center gap-2 text-sm text-ink-soft"
          aria-label={`Secret: ${name}`}
          checked={is_secret}
          onChange={(isSecret) => onMark(name, isSecret)}
          label="Secret"
        />
      )}
      <StepChoice step={step} onChoose={onChoose} />
    </li>
  )
}
