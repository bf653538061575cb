import type { ReactNode } from 'react'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Problem } from '../../ui/notice.tsx'
import { TextField, type TextFieldProps } from '../../ui/text-field.tsx'

/** A narrow card around a single form. */
export function FormCard({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto mt-4 max-w-[26rem] rounded-lg bg-surface p-6 shadow-card sm:mt-[9vh] sm:p-8">
      {children}
    </div>
  )
}

type AccountFormProps = {
  action: string
  attempt: { isPending: boolean; error: Error | null }
  /** What a status of the server means here; undefined: what the server says. Null: the form deals with it. */
  explain: (failure: Failure) => string | null | undefined
  onSubmit: () => void
  /** Of its button, where another way comes first. */
  look?: 'primary' | 'neutral'
  children: ReactNode
}

/** A form that signs in or makes an account: its fields, the refusal and one large button. */
export function AccountForm({
  action,
  attempt,
  explain,
  onSubmit,
  look = 'primary',
  children,
}: AccountFormProps) {
  const failure = attempt.error === null ? null : describeFailure(attempt.error)
  const explained = failure === null ? null : explain(failure)
  const refusal = explained === undefined ? (failure?.message ?? null) : explained
  return (
    <Form busy={attempt.isPending} onSubmit={onSubmit} noValidate={false} className="space-y-4">
      {children}
      <Problem text={refusal} />
      <Button
        label={action}
        type="submit"
        look={look}
        size="large"
        busy={attempt.isPending}
        className="w-full"
      />
    </Form>
  )
}

/** The e-mail address that the person signs in with. */
export function EmailField(props: Omit<TextFieldProps, 'label'>) {
  return <TextField {...props} label="E-mail" type="email" name="email" required />
}
