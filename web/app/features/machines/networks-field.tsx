import { TextArea } from '../../ui/text-field.tsx'

type NetworksFieldProps = {
  value: string
  onChange: (text: string) => void
  problem: string | null | undefined
}

/** The networks that calls must come from. */
export function NetworksField({ value, onChange, problem }: NetworksFieldProps) {
  return (
    <TextArea
      label="Only from these networks (optional)"
      rows={2}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      problem={problem}
      hint="Addresses or networks, such as 10.0.0.0/8. Empty: from any address."
      placeholder="10.0.0.0/8"
      code="small"
    />
  )
}
