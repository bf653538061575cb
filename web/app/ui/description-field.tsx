import { LIMITS } from '@keyferry/contract/limits'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** The optional description of a bundle, a machine or a webhook. */
export function DescriptionField(props: Pick<TextFieldProps, 'value' | 'onChange'>) {
  return <TextField {...props} label="Description (optional)" maxLength={LIMITS.descriptionLength} />
}
