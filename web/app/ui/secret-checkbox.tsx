import { HintedCheckbox } from './hinted-checkbox.tsx'

type SecretCheckboxProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** For the text of a template. */
  isTemplate?: boolean
}

/** Whether a key's value stays hidden once it is stored. */
export function SecretCheckbox({ checked, onChange, isTemplate = false }: SecretCheckboxProps) {
  return (
    <HintedCheckbox label="Secret" hint={hintOf(checked, isTemplate)} checked={checked} onChange={onChange} />
  )
}

function hintOf(checked: boolean, isTemplate: boolean): string {
  if (checked) return 'These pages hide the value from everyone, until the key is declared not secret.'
  if (isTemplate) return 'Every member sees this text. The composed value is secret if one of its parts is.'
  return 'Every member of the workspace sees the value.'
}
