import { useId } from 'react'
import { Select } from './select.tsx'

type SelectFieldProps = {
  label: string
  value: string
  /** The names of the values. */
  options: Readonly<Record<string, string>>
  onChange: (value: string) => void
  hint?: string
}

/** A choice of one among a few, with its label. */
export function SelectField({ label, value, options, onChange, hint }: SelectFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <Select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        options={Object.entries(options)}
        onChange={onChange}
        className="field"
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
