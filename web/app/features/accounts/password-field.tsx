import { ACCOUNT_LIMITS } from '@keyferry/contract/accounts/limits'
import { useState } from 'react'
import { TextField, type TextFieldProps } from '../../ui/text-field.tsx'

/** A field for the password that the person has. */
export function PasswordField(props: Partial<TextFieldProps>) {
  return <TextField label="Password" type="password" autoComplete="current-password" required {...props} />
}

/** A field for a new password. */
export function NewPasswordField(props: Partial<TextFieldProps>) {
  return (
    <TextField
      label="Password"
      type="password"
      name="password"
      autoComplete="new-password"
      required
      hint={`At least ${ACCOUNT_LIMITS.passwordMinLength} characters. A few unrelated words are easy to remember.`}
      {...props}
    />
  )
}

/** A new password: `field` has the props of its field, which says what is wrong once `isFine` was asked. */
export function useNewPassword() {
  const [value, onChange] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const isFine = () => {
    const isLong = value.length >= ACCOUNT_LIMITS.passwordMinLength
    setProblem(isLong ? null : `Use at least ${ACCOUNT_LIMITS.passwordMinLength} characters.`)
    return isLong
  }
  return { field: { value, onChange, problem }, isFine }
}
