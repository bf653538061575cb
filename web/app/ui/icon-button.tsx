import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'
import { classNames } from './class-names.ts'

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> & {
  label: string
  icon: LucideIcon
  px?: number
}

/** A button that shows an icon alone; `label` is its name and its tooltip. */
export function IconButton({ label, icon: Icon, px = 16, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={classNames(
        'inline-flex size-9 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors',
        'hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-50',
        className,
      )}
    >
      <Icon aria-hidden size={px} />
    </button>
  )
}
