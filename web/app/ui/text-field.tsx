import {
  type InputHTMLAttributes,
  type ReactNode,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
  useRef,
} from 'react'
import { classNames } from './class-names.ts'

/** `hidesLabel`: only screen readers get it, because what is beside the field says the same. */
type Labelled = {
  label: string
  hidesLabel?: boolean
  hint?: ReactNode
  problem?: string | null | undefined
}

/** For what a program reads: in the font of code, exactly as typed. */
type Code = { code?: 'normal' | 'small' }

const FONTS = { normal: 'font-mono', small: 'font-mono text-sm' } as const
const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const

type TextFieldProps = Labelled & Code & InputHTMLAttributes<HTMLInputElement>

/** A one-line field with its label, a hint, and the problem that its content caused. */
export function TextField({ label, hint, problem, code, className, ...rest }: TextFieldProps) {
  const id = useId()
  const input = useFirstFocus<HTMLInputElement>(rest.autoFocus === true)
  return (
    <FieldFrame id={id} label={label} hint={hint} problem={problem}>
      <input
        {...(code === undefined ? {} : AS_TYPED)}
        {...rest}
        ref={input}
        id={id}
        aria-invalid={hasText(problem)}
        aria-describedby={describedBy(id, hint, problem)}
        className={classNames('field', code && FONTS[code], className)}
      />
    </FieldFrame>
  )
}

type TextAreaProps = Labelled & Code & TextareaHTMLAttributes<HTMLTextAreaElement>

/** A field of several lines that keeps every line break as typed. */
export function TextArea({ label, hidesLabel, hint, problem, code, className, ...rest }: TextAreaProps) {
  const id = useId()
  const area = useFirstFocus<HTMLTextAreaElement>(rest.autoFocus === true)
  return (
    <FieldFrame id={id} label={label} hidesLabel={hidesLabel === true} hint={hint} problem={problem}>
      <textarea
        {...(code === undefined ? {} : AS_TYPED)}
        {...rest}
        ref={area}
        id={id}
        aria-invalid={hasText(problem)}
        aria-describedby={describedBy(id, hint, problem)}
        className={classNames('field', code && FONTS[code], className)}
      />
    </FieldFrame>
  )
}

// The browser applies the attribute only when a page or a dialog opens; a field may appear later.
function useFirstFocus<Field extends HTMLElement>(wanted: boolean) {
  const field = useRef<Field>(null)
  useEffect(() => {
    if (wanted) field.current?.focus()
  }, [wanted])
  return field
}

function FieldFrame({
  id,
  label,
  hidesLabel,
  hint,
  problem,
  children,
}: Labelled & { id: string; children: ReactNode }) {
  return (
    <div>
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="mt-1 text-xs text-ink-soft">
          {hint}
        </div>
      )}
      {hasText(problem) && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}

function hasText(problem: string | null | undefined): boolean {
  return problem !== null && problem !== undefined && problem !== ''
}

function describedBy(id: string, hint: ReactNode, problem: string | null | undefined): string | undefined {
  const ids = [hint === undefined ? '' : `${id}-hint`, hasText(problem) ? `${id}-problem` : ''].filter(
    Boolean,
  )
  return ids.length === 0 ? undefined : ids.join(' ')
}
