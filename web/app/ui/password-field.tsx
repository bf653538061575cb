import { LIMITS } from '@keyferry/contract/limits'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** A field for the password that the person has. */
export function PasswordField(props: Partial<TextFieldProps>) {
  return <TextField label="Password" type="password" autoComplete="current-password" required {...props} />
}

/** A field for a password that is chosen now. */
export function NewPasswordField(props: Partial<TextFieldProps>) {
  return (
    <TextField
      label="Password"
      type="password"
      name="password"
      autoComplete="new-password"
      required
      hint={`At least ${LIMITS.passwordMinLength} characters. A few unrelated words are easy to remember.`}
      {...props}
    />
  )
}

/** Why a password cannot be chosen, or null. */
export function passwordProblem(password: string): string | null {
  return password.length < LIMITS.passwordMinLength
    ? `Use at least ${LIMITS.passwordMinLength} characters.`
    : null
}
