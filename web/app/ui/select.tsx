import type { SelectHTMLAttributes } from 'react'

type SelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'children'> & {
  /** Values and their names, in this order. */
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}

/** A choice of one among a few. */
export function Select({ options, onChange, ...rest }: SelectProps) {
  return (
    <select {...rest} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}
