import type { ComponentProps } from 'react'
import { TextArea } from '../../ui/text-field.tsx'

/** The networks that calls must come from. */
export function NetworksField(
  props: Pick<ComponentProps<typeof TextArea>, 'value' | 'onChange' | 'problem'>,
) {
  return (
    <TextArea
      {...props}
      label="Only from these networks (optional)"
      rows={2}
      hint="Addresses or networks, such as 10.0.0.0/8. Empty: from any address."
      placeholder="10.0.0.0/8"
      code="small"
    />
  )
}
