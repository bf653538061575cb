import type { ComponentProps } from 'react'
import { useArming } from '../lib/page/arming.ts'
import { ArmingButton } from './arming-button.tsx'
import { Button } from './button.tsx'

type ActButtonProps = Omit<ComponentProps<typeof Button>, 'icon' | 'label' | 'ref'> & {
  label: string
  isProduction: boolean
}

/** The button that does what a form says. What writes production is red, and counts a press only after a person could
 * read it, as on the approval page. */
export function ActButton({ isProduction, ...button }: ActButtonProps) {
  return isProduction ? <ArmedButton {...button} /> : <Button look="primary" type="submit" {...button} />
}

function ArmedButton({ onClick, disabled, ...button }: Omit<ActButtonProps, 'isProduction'>) {
  const { buttons, counts, active, fill } = useArming(button.label)
  return (
    <div ref={buttons}>
      <ArmingButton
        type="submit"
        {...button}
        disabled={disabled}
        look="danger"
        active={active}
        fill={disabled ? null : fill}
        // A press that does not count submits no form.
        onClick={(press) => (counts(press) ? onClick?.(press) : press.preventDefault())}
      />
    </div>
  )
}
