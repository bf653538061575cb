import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Link } from 'wouter'
import { classNames } from './class-names.ts'
import type { IconComponent } from './icon.tsx'

const LOOKS = {
  primary: 'bg-accent text-on-accent border-accent hover:bg-accent-strong hover:border-accent-strong',
  danger:
    'bg-danger-fill text-on-danger border-danger-fill hover:bg-danger-fill-strong hover:border-danger-fill-strong',
  neutral: 'bg-surface text-ink border-edge hover:bg-sunken',
  inactive: 'bg-sunken text-ink-soft border-edge border-dashed',
  ink: 'bg-ink text-surface border-ink hover:bg-ink-soft hover:border-ink-soft',
  quiet: 'bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink',
} as const

const SIZES = {
  small: 'rounded-md min-h-8 px-3 text-xs gap-1.5',
  medium: 'rounded-md min-h-10 px-3 sm:px-4 text-sm gap-2',
  large: 'min-h-12 rounded-[0.625rem] px-3 sm:px-5 text-sm gap-2 font-semibold',
} as const

const ICON_PX = { small: 14, medium: 16, large: 20 } as const

export type ButtonLook = { look?: keyof typeof LOOKS | undefined; size?: keyof typeof SIZES }

/** The classes of a button, for a link that looks like one. */
export function buttonClasses({ look = 'neutral', size = 'medium' }: ButtonLook = {}): string {
  return classNames(
    'inline-flex items-center justify-center border font-medium transition-colors select-none no-underline print:hidden',
    'disabled:opacity-60 disabled:cursor-not-allowed aria-disabled:cursor-not-allowed aria-busy:cursor-progress',
    LOOKS[look],
    SIZES[size],
  )
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  ButtonLook & { label?: ReactNode; icon?: IconComponent; busy?: boolean; ref?: Ref<HTMLButtonElement> }

/** A button that says when it is busy; a busy one ignores clicks and keeps its focus. */
export function Button({
  look,
  size = 'medium',
  label,
  icon: Icon,
  busy = false,
  className,
  onClick,
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-busy={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
      className={classNames(buttonClasses({ look, size }), className)}
    >
      {Icon !== undefined && <Icon aria-hidden size={ICON_PX[size]} />}
      {label}
      {children}
    </button>
  )
}

type ButtonLinkProps = ButtonLook & { href: string; label: string; icon?: IconComponent }

/** A link within the app that looks like a button. */
export function ButtonLink({ href, label, icon: Icon, ...look }: ButtonLinkProps) {
  return (
    <Link href={href} className={buttonClasses(look)}>
      {Icon !== undefined && <Icon aria-hidden size={ICON_PX.medium} />}
      {label}
    </Link>
  )
}

type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> & {
  label: string
  icon: IconComponent
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
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors print:hidden',
        'hover:bg-sunken hover:text-ink disabled:cursor-not-allowed disabled:opacity-50',
        className,
      )}
    >
      <Icon aria-hidden size={px} />
    </button>
  )
}
