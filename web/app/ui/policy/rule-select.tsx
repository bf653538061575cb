import { useId } from 'react'
import type { Policy, PolicySetting } from '../../lib/calls/answers.ts'
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
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {LABELS[field]}
      </label>
      <select
        id={id}
        value={String(value ?? '')}
        aria-describedby={`${id}-now`}
        onChange={({ currentTarget }) => {
          const chosen = options.find((option) => String(option.value) === currentTarget.value)
          onChange({ ...draft, [field]: chosen?.value ?? null })
        }}
        className="field"
      >
        <option value="">{inherits}</option>
        {isOther && <option value={String(value)}>{nameOfChoice(field, value)}</option>}
        {options.map((option) => (
          <option key={String(option.value)} value={String(option.value)}>
            {option.name}
          </option>
        ))}
      </select>
      <p id={`${id}-now`} className="mt-1 text-xs text-ink-soft">
        Now: {nameOfChoice(field, effective[field])}
      </p>
    </div>
  )
}
