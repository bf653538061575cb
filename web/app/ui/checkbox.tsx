import type { InputHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

type CheckboxProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'type'> & {
  label?: string
  checked: boolean
  onChange: (checked: boolean) => void
  /** Classes of the box, which is in the label. */
  boxClass?: string
}

/** A checkbox within its label. */
export function Checkbox({ label, onChange, className, boxClass, children, ...rest }: CheckboxProps) {
  return (
    <label className={className}>
      <input
        {...rest}
        type="checkbox"
        className={classNames('checkbox', boxClass)}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {label}
      {children}
    </label>
  )
}
