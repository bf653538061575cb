import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** A narrow card around a single form. */
export function FormCard({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto mt-4 max-w-md rounded-lg border border-line bg-surface p-6 sm:mt-12 sm:p-8">
      {children}
    </div>
  )
}

type AccountFormProps = {
  action: string
  busy: boolean
  /** Why the server refused the last try. */
  refusal: string | null
  onSubmit: () => void
  children: ReactNode
}

/** A form that signs in or makes an account: its fields, the refusal and one large button. */
export function AccountForm({ action, busy, refusal, onSubmit, children }: AccountFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      {children}
      {refusal !== null && (
        <Notice tone="danger" role="alert">
          {refusal}
        </Notice>
      )}
      <Button label={action} type="submit" look="primary" size="large" busy={busy} className="w-full" />
    </form>
  )
}

type EmailFieldProps = {
  value: string
  onChange: (email: string) => void
  autoComplete: string
  autoFocus?: boolean
}

/** The e-mail address that the person signs in with. */
export function EmailField({ value, onChange, ...rest }: EmailFieldProps) {
  return (
    <TextField
      {...rest}
      label="E-mail"
      type="email"
      name="email"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
