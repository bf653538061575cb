import { type ComponentProps, useState } from 'react'
import { randomValue } from '../lib/rules/random-value.ts'
import { valueWarnings } from '../lib/rules/value-warnings.ts'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { Eye, EyeOff, RefreshCw } from './icons.ts'
import { Notice } from './notice.tsx'
import { SecretChoice } from './secret-choice.tsx'
import { TextArea } from './text-field.tsx'

type ValueFieldProps = Pick<
  ComponentProps<typeof TextArea>,
  'value' | 'onKeyDown' | 'problem' | 'placeholder' | 'autoFocus'
> & {
  label: string
  onChange: (value: string) => void
  isSecret: boolean
  /** Of a value that is new to its bundle: the person says whether it is secret. */
  onMark?: ((isSecret: boolean) => void) | undefined
  /** It fills a cell, which has its own edges. */
  inCell?: boolean
}

/** The one field that takes a value: keeps line breaks, conceals a secret unless asked to show it, makes a random
 * value, and warns of what looks wrong. What is around it says what it is. */
export function ValueField({ isSecret, onMark, inCell = false, ...field }: ValueFieldProps) {
  const { value, onChange } = field
  const [isShown, setShown] = useState(false)
  const [made, setMade] = useState('')
  const warnings = valueWarnings(value)
  const generate = () => {
    const random = randomValue()
    setMade(random)
    onChange(random)
  }
  return (
    <div className="space-y-2">
      <div className="relative">
        <TextArea
          {...field}
          hidesLabel
          rows={value.includes('\n') ? 6 : 1}
          autoCorrect="off"
          code="small"
          className={classNames(
            'block resize-none pr-18',
            isSecret && !isShown && 'concealed',
            inCell && 'text-xs -outline-offset-2 sm:rounded-none sm:pl-4',
          )}
        />
        <span className="absolute top-1 right-1 flex">
          {value !== '' && value === made ? (
            <CopyButton text={value} what="the new value" />
          ) : (
            <IconButton label="Generate 32 random bytes" icon={RefreshCw} onClick={generate} />
          )}
          {isSecret && (
            <IconButton
              label={isShown ? 'Hide' : 'Show'}
              icon={isShown ? EyeOff : Eye}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            />
          )}
        </span>
      </div>
      <div className={classNames('space-y-2 empty:hidden', inCell && 'sm:px-4')}>
        {warnings.length > 0 && (
          <Notice tone="plain" role="status">
            {warnings.join(' ')}
          </Notice>
        )}
        {onMark !== undefined && <SecretChoice isSecret={isSecret} onChange={onMark} />}
      </div>
    </div>
  )
}
