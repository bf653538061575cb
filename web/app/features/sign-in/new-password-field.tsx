import { LIMITS } from '@keyferry/contract/limits'
import { TextField } from '../../ui/text-field.tsx'

type NewPasswordFieldProps = {
  value: string
  onChange: (password: string) => void
  problem: string | null
  autoFocus?: boolean
}

/** A field for a password that is chosen now. */
export function NewPasswordField({ value, onChange, problem, autoFocus = false }: NewPasswordFieldProps) {
  return (
    <TextField
      label="Password"
      type="password"
      name="password"
      autoComplete="new-password"
      autoFocus={autoFocus}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      problem={problem}
      hint={`At least ${LIMITS.passwordMinLength} characters. A few words in a row are easy to keep in mind.`}
    />
  )
}

/** Why a password cannot be chosen, or null. */
export function passwordProblem(password: string): string | null {
  return password.length < LIMITS.passwordMinLength
    ? `Use at least ${LIMITS.passwordMinLength} characters.`
    : null
}
