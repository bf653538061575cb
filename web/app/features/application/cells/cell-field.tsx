import { type ComponentProps, useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Eye, EyeOff } from '../../../ui/icons.ts'
import { TextArea } from '../../../ui/text-field.tsx'
import { ValueWarnings } from '../../../ui/value-warnings.tsx'

type CellFieldProps = Pick<
  ComponentProps<typeof TextArea>,
  'label' | 'value' | 'onChange' | 'onKeyDown' | 'problem' | 'placeholder'
> & { isSecret: boolean }

/** A field that fills its cell. A secret is hidden while it is typed. */
export function CellField({ isSecret, ...field }: CellFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <div className="relative">
        <TextArea
          {...field}
          hidesLabel
          autoFocus
          rows={field.value.includes('\n') ? 5 : 1}
          autoCorrect="off"
          code="small"
          className={classNames(
            'block resize-none text-xs -outline-offset-2 sm:rounded-none sm:px-4',
            isSecret && 'pr-10',
            isSecret && !isShown && 'concealed',
          )}
        />
        {isSecret && (
          <IconButton
            label={isShown ? 'Hide' : 'Show'}
            icon={isShown ? EyeOff : Eye}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
            className="absolute top-1 right-1"
          />
        )}
      </div>
      <ValueWarnings value={field.value} className="sm:px-4" />
    </>
  )
}
