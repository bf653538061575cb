import type { ComponentProps } from 'react'
import { FieldFrame } from './text-field.tsx'

type SelectProps<Value extends string> = Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> & {
  value: Value
  /** Values and their names, in this order. */
  options: Readonly<Record<Value, string>> | readonly (readonly [Value, string])[]
  onChange: (value: Value) => void
}

/** A choice of one among a few. */
export function Select<Value extends string>({ options, onChange, ...rest }: SelectProps<Value>) {
  // `Object.entries` forgets the type of the names.
  const pairs = (Array.isArray(options) ? options : Object.entries(options)) as readonly [Value, string][]
  const choose = (text: string) => {
    const chosen = pairs.find(([value]) => value === text)
    if (chosen !== undefined) onChange(chosen[0])
  }
  return (
    <select {...rest} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {pairs.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  )
}

type SelectFieldProps<Value extends string> = SelectProps<Value> & { label: string; hint?: string }

/** A choice of one among a few, with its label. */
export function SelectField<Value extends string>({ label, hint, ...select }: SelectFieldProps<Value>) {
  return (
    <FieldFrame {...{ label, hint }}>
      {(described) => <Select {...select} {...described} className="field" />}
    </FieldFrame>
  )
}
