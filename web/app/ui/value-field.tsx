import { type ComponentProps, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { Eye, EyeOff } from './icons.ts'
import { TextArea } from './text-field.tsx'
import { ValueWarnings } from './value-warnings.tsx'

type ValueFieldProps = Pick<
  ComponentProps<typeof TextArea>,
  'value' | 'onChange' | 'onKeyDown' | 'problem' | 'placeholder' | 'autoFocus'
> & {
  isSecret: boolean
  label?: string
  /** It fills a cell, which says what it is. */
  inCell?: boolean
}

/** A field for a value: keeps line breaks, conceals a secret unless asked to show it, and warns of what looks wrong. */
export function ValueField({ isSecret, label = 'Value', inCell = false, ...field }: ValueFieldProps) {
  const [isShown, setShown] = useState(false)
  const toggle = {
    label: isShown ? 'Hide' : 'Show',
    icon: isShown ? EyeOff : Eye,
    'aria-pressed': isShown,
    onClick: () => setShown(!isShown),
  }
  return (
    <div>
      <div className="relative">
        <TextArea
          {...field}
          label={label}
          hidesLabel={inCell}
          rows={field.value.includes('\n') ? 6 : inCell ? 1 : 2}
          autoCorrect="off"
          code="small"
          className={classNames(
            isSecret && !isShown && 'concealed',
            inCell && 'block resize-none text-xs -outline-offset-2 sm:rounded-none sm:px-4',
            inCell && isSecret && 'pr-10',
          )}
        />
        {isSecret && inCell && <IconButton {...toggle} className="absolute top-1 right-1" />}
        {isSecret && !inCell && (
          <Button {...toggle} look="quiet" size="small" className="absolute -top-1.5 right-0" />
        )}
      </div>
      <ValueWarnings value={field.value} className={inCell ? 'mt-2 sm:px-4' : 'mt-2'} />
    </div>
  )
}
