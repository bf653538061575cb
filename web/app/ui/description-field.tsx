import { LIMITS } from '@keyferry/contract/limits'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** The optional description of a bundle, for example. */
export function DescriptionField(props: Pick<TextFieldProps, 'value' | 'onChange'>) {
  return <TextField {...props} label="Description (optional)" maxLength={LIMITS.descriptionLength} />
}
