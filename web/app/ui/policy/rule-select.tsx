import { useId } from 'react'
import type { Policy, PolicySetting } from '../../lib/calls/answers.ts'
import { Select } from '../select.tsx'
import { type Field, LABELS, nameOfChoice, OPTIONS } from './policy-words.ts'

type RuleSelectProps = {
  field: Field
  draft: PolicySetting
  effective: Policy
  inherits: string
  onChange: (draft: PolicySetting) => void
}

/** One rule: what this place sets, and what counts where another place is stricter. */
export function RuleSelect({ field, draft, effective, inherits, onChange }: RuleSelectProps) {
  const id = useId()
  const options = OPTIONS[field]
  const value = draft[field]
  const isOther = value !== null && options.every((option) => option.value !== value)
  const shown = isOther ? [{ value, name: nameOfChoice(field, value) }, ...options] : options
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {LABELS[field]}
      </label>
      <Select
        id={id}
        value={String(value ?? '')}
        aria-describedby={`${id}-now`}
        options={[['', inherits], ...shown.map((option) => [String(option.value), option.name] as const)]}
        onChange={(text) =>
          onChange({
            ...draft,
            [field]: options.find((option) => String(option.value) === text)?.value ?? null,
          })
        }
        className="field"
      />
      <p id={`${id}-now`} className="mt-1 text-xs text-ink-soft">
        Now: {nameOfChoice(field, effective[field])}
      </p>
    </div>
  )
}
