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

/** Marks the field that has the focus first. */
export const FIRST_FOCUS = 'data-first-focus'

const FONTS = { normal: 'font-mono', small: 'font-mono text-sm' } as const
const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const

export type TextFieldProps = FieldProps & Omit<ComponentProps<'input'>, 'onChange' | 'ref'>

/** A one-line field with its label, a hint, and the problem that its content caused. */
export function TextField(props: TextFieldProps) {
  const { label, hint, problem, code, className, autoFocus, onChange, ...rest } = props
  const input = useFirstFocus<HTMLInputElement>(autoFocus)
  return (
    <FieldFrame {...{ label, hint, problem }}>
      {(described) => (
        <input
          {...(code && AS_TYPED)}
          {...rest}
          {...described}
          {...{ [FIRST_FOCUS]: autoFocus || undefined }}
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
  autoFocus,
  onChange,
  ...rest
}: TextAreaProps) {
  const area = useFirstFocus<HTMLTextAreaElement>(autoFocus)
  return (
    <FieldFrame {...{ label, hidesLabel, hint, problem }}>
      {(described) => (
        <textarea
          {...(code && AS_TYPED)}
          {...rest}
          {...described}
          {...{ [FIRST_FOCUS]: autoFocus || undefined }}
          ref={area}
          value={asShown(value)}
          onChange={(event) => onChange?.(withLineEnds(value, event.currentTarget.value))}
          className={classNames('field', code && FONTS[code], className)}
        />
      )}
    </FieldFrame>
  )
}

// Without the attribute: a browser knows it only of the first field of a page, and Safari applies it so late that the
// focus leaves the field in which a person already types.
function useFirstFocus<Field extends HTMLElement>(wanted = false) {
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
        <p id={`${id}-problem`} role="alert" className="mt-1 text-sm font-medium">
          {problem}
        </p>
      )}
    </div>
  )
}
