import { LIMITS } from '@keyferry/contract/limits'
import { TextField } from './text-field.tsx'

type PasswordFieldProps = {
  label?: string
  name?: string
  value: string
  onChange: (password: string) => void
  autoFocus?: boolean
}

/** A field for the password that the person has. */
export function PasswordField({ label = 'Password', value, onChange, ...rest }: PasswordFieldProps) {
  return (
    <TextField
      {...rest}
      label={label}
      type="password"
      autoComplete="current-password"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

type NewPasswordFieldProps = {
  label?: string
  value: string
  onChange: (password: string) => void
  problem: string | null
  autoFocus?: boolean
}

/** A field for a password that is chosen now. */
export function NewPasswordField({
  label = 'Password',
  value,
  onChange,
  problem,
  autoFocus = false,
}: NewPasswordFieldProps) {
  return (
    <TextField
      label={label}
      type="password"
      name="password"
      autoComplete="new-password"
      autoFocus={autoFocus}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      problem={problem}
      hint={`At least ${LIMITS.passwordMinLength} characters. A few unrelated words are easy to remember.`}
    />
  )
}

/** Why a password cannot be chosen, or null. */
export function passwordProblem(password: string): string | null {
  return password.length < LIMITS.passwordMinLength
    ? `Use at least ${LIMITS.passwordMinLength} characters.`
    : null
}
