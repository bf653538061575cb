import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

type HintedCheckboxProps = {
  label: string
  hint: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  className?: string
}

/** A checkbox with a sentence below its label that says what it does. */
export function HintedCheckbox({ label, hint, checked, onChange, className }: HintedCheckboxProps) {
  const id = useId()
  return (
    <div className={classNames('flex items-start gap-3', className)}>
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-0.5"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        aria-describedby={`${id}-hint`}
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-soft">
          {hint}
        </p>
      </div>
    </div>
  )
}
