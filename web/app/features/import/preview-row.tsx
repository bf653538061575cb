import type { EnvEntry } from '@keyferry/contract/env'
import { MASK } from '@keyferry/contract/limits'
import { useId } from 'react'
import type { ImportChoice as Choice, ImportStep } from '../../lib/calls/answers.ts'
import { valueWarnings } from '../../lib/rules/value-warnings.ts'
import { changes, noteOf } from '../../lib/words/import-steps.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { classNames } from '../../ui/class-names.ts'
import { StepChoice } from '../../ui/import-step/step-choice.tsx'
import { ValueChange } from '../../ui/import-step/value-change.tsx'

type PreviewRowProps = {
  entry: EnvEntry
  /** What the plan does with it; undefined while there is no plan, and for an entry that is left out. */
  step: ImportStep | undefined
  skipped: boolean
  /** What the bundle delivers now, if everyone may read it. */
  before: string | undefined
  /** What the person decided; undefined follows the plan. */
  secret: boolean | undefined
  onSkip: (name: string, skipped: boolean) => void
  onSecret: (name: string, secret: boolean) => void
  onChoose: (name: string, choice: Choice) => void
}

/** One line of the preview. It shows how a value changes only if neither the old nor the new one is secret. */
export function PreviewRow({ entry, step, skipped, before, secret, ...decide }: PreviewRowProps) {
  const id = useId()
  const { name, value, line } = entry
  const planned = skipped ? undefined : step
  const warnings = value === MASK ? [] : valueWarnings(value)
  return (
    <li
      className={classNames(
        'flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2.5',
        skipped && 'bg-sunken/50',
      )}
    >
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-1"
        checked={!skipped}
        onChange={(event) => decide.onSkip(name, !event.currentTarget.checked)}
        aria-describedby={`${id}-note`}
      />
      <div className="min-w-0 flex-1 basis-44">
        <label htmlFor={id} className="font-mono text-sm font-medium break-all">
          {name}
        </label>
        <p id={`${id}-note`} className="text-xs text-ink-soft">
          Line {line}
          {planned && noteOf(planned)}
        </p>
        {planned && before !== undefined && !(secret ?? planned.is_secret) && changes(planned) && (
          <ValueChange before={before} after={value} />
        )}
        {warnings.length > 0 && <p className="text-xs text-caution">{warnings.join(' ')}</p>}
      </div>
      {planned && <StepChoice step={planned} onChoose={decide.onChoose} />}
      <Checkbox
        className="inline-flex min-h-7 items-center gap-2 text-sm text-ink-soft"
        checked={secret ?? step?.is_secret ?? true}
        aria-label={`Secret: ${name}`}
        disabled={skipped || (step !== undefined && step.action !== 'create' && step.action !== 'own')}
        onChange={(checked) => decide.onSecret(name, checked)}
        label="Secret"
      />
    </li>
  )
}
