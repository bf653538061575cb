import type { ComponentProps } from 'react'
import type { useArming } from '../lib/page/arming.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import type { IconComponent } from './icon.tsx'

type ArmingButtonProps = Omit<ComponentProps<typeof Button>, 'icon'> &
  Pick<ReturnType<typeof useArming>, 'active' | 'fill'> & { Icon?: IconComponent | null }

/** A button that fills until a press counts. */
export function ArmingButton({ active, fill, Icon = null, label, className, ...rest }: ArmingButtonProps) {
  const wait = active ? null : fill
  return (
    <Button {...rest} aria-disabled={!active} className={classNames('relative overflow-clip', className)}>
      {wait !== null && (
        <span
          key={wait.round}
          aria-hidden
          className="fill absolute inset-0 origin-left"
          style={{ animationDuration: `${wait.ms}ms` }}
        />
      )}
      {Icon !== null && <Icon aria-hidden size={20} className="relative" />}
      <span className="relative">{label}</span>
      {wait !== null && (
        <span aria-hidden className="relative hidden whitespace-nowrap motion-reduce:inline">
          in 1 s
        </span>
      )}
    </Button>
  )
}
