import { useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Eye, EyeOff } from './icons.ts'
import { TextArea } from './text-field.tsx'
import { ValueWarnings } from './value-warnings.tsx'

type ValueFieldProps = {
  value: string
  isSecret: boolean
  onChange: (value: string) => void
  problem?: string | undefined
  label?: string
  placeholder?: string
  autoFocus?: boolean
}

/** A field for a value: keeps line breaks, conceals a secret unless asked to show it, and warns of what looks wrong. */
export function ValueField({
  value,
  isSecret,
  onChange,
  problem,
  label = 'Value',
  ...rest
}: ValueFieldProps) {
  const [shown, setShown] = useState(false)
  const concealed = isSecret && !shown
  return (
    <div className="relative">
      <TextArea
        {...rest}
        label={label}
        value={value}
        rows={value.includes('\n') ? 6 : 2}
        onChange={onChange}
        problem={problem}
        autoCorrect="off"
        code="small"
        className={classNames(concealed && 'concealed')}
      />
      {isSecret && (
        <Button
          label={shown ? 'Hide' : 'Show'}
          look="quiet"
          size="small"
          icon={shown ? EyeOff : Eye}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute -top-1.5 right-0"
        />
      )}
      <ValueWarnings value={value} className="mt-2" />
    </div>
  )
}
