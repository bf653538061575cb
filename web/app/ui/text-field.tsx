import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react'
import { asShown, withLineEnds } from '../lib/rules/line-ends.ts'
import { classNames } from './class-names.ts'

type FieldFrameProps = {
  label: string
  /** Only screen readers get the label, because what is beside the field says the same. */
  hidesLabel?: boolean | undefined
  hint?: ReactNode
  problem?: string | null | undefined
}

type FieldProps = FieldFrameProps & {
  /** For what a program reads: in the font of code, exactly as typed. */
  code?: 'normal' | 'small'
  onChange?: (text: string) => void
}

const FONTS = { normal: 'font-mono', small: 'font-mono text-sm' } as const
const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const

export type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'onChange' | 'ref'>

/** A one-line field with its label, a hint, and the problem that its content caused. */
export function TextField({ label, hint, problem, code, className, onChange, ...rest }: TextFieldProps) {
  const input = useFirstFocus<HTMLInputElement>(rest.autoFocus === true)
  return (
    <FieldFrame {...{ label, hint, problem }}>
      {(described) => (
        <input
          {...(code && AS_TYPED)}
          {...rest}
          {...described}
          ref={input}
          onChange={(event) => onChange?.(event.currentTarget.value)}
          className={classNames('field', code && FONTS[code], className)}
        />
      )}
    </FieldFrame>
  )
}

type TextAreaProps = FieldProps & { value: string } & Omit<
    ComponentProps<'textarea'>,
    'onChange' | 'ref' | 'value'
  >

/** A field of several lines. What a person does not edit keeps its line ends. */
export function TextArea({
  label,
  hidesLabel,
  hint,
  problem,
  code,
  className,
  value,
  onChange,
  ...rest
}: TextAreaProps) {
  const area = useFirstFocus<HTMLTextAreaElement>(rest.autoFocus === true)
  return (
    <FieldFrame {...{ label, hidesLabel, hint, problem }}>
      {(described) => (
        <textarea
          {...(code && AS_TYPED)}
          {...rest}
          {...described}
          ref={area}
          value={asShown(value)}
          onChange={(event) => onChange?.(withLineEnds(value, event.currentTarget.value))}
          className={classNames('field', code && FONTS[code], className)}
        />
      )}
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

type FieldDescription = { id: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }

/** What is around a field; the field itself takes what refers to that. */
export function FieldFrame(
  props: FieldFrameProps & { children: (described: FieldDescription) => ReactNode },
) {
  const { label, hidesLabel, hint, problem, children } = props
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div>
      <label htmlFor={id} className={hidesLabel ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-invalid': Boolean(problem), 'aria-describedby': described || undefined })}
      {hint !== undefined && (
        <div id={`${id}-hint`} className="mt-1 text-xs text-ink-soft">
          {hint}
        </div>
      )}
      {problem && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}
