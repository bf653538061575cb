import { useId } from 'react'

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
      <select
        id={id}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        className="field"
      >
        {Object.entries(options).map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}
