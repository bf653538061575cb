import { type SelectHTMLAttributes, useId } from 'react'

/** Values and their names, in this order. */
type Options = Readonly<Record<string, string>> | readonly (readonly [string, string])[]

type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'children'> & {
  options: Options
  onChange: (value: string) => void
}

/** A choice of one among a few. */
export function Select({ options, onChange, ...rest }: SelectProps) {
  const pairs = Array.isArray(options) ? options : Object.entries(options)
  return (
    <select {...rest} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {pairs.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}

type SelectFieldProps = {
  label: string
  value: string
  options: Options
  onChange: (value: string) => void
  hint?: string
}

/** A choice of one among a few, with its label. */
export function SelectField({ label, hint, ...select }: SelectFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <Select
        {...select}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
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
