import { LIMITS } from '@keyferry/contract/limits'
import { TextField } from './text-field.tsx'

type DescriptionFieldProps = { value: string; onChange: (description: string) => void }

/** The optional description of a bundle, a key, a machine or a webhook. */
export function DescriptionField({ value, onChange }: DescriptionFieldProps) {
  return (
    <TextField
      label="Description (optional)"
      value={value}
      maxLength={LIMITS.descriptionLength}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
