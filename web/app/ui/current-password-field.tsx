import { TextField } from './text-field.tsx'

type CurrentPasswordFieldProps = {
  value: string
  onChange: (password: string) => void
  hint?: string
  autoFocus?: boolean
}

/** A field for the person's password, which confirms a change of their account. */
export function CurrentPasswordField({ value, onChange, ...rest }: CurrentPasswordFieldProps) {
  return (
    <TextField
      {...rest}
      label="Current password"
      type="password"
      autoComplete="current-password"
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
