import { HintedCheckbox } from './hinted-checkbox.tsx'

type SecretCheckboxProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** For the text of a template. */
  isTemplate?: boolean
  /** A new key that is probably not secret: the person can say so, and nothing else does. */
  offersOpen?: boolean
}

/** Whether a key's value stays hidden once it is stored. */
export function SecretCheckbox({
  checked,
  onChange,
  isTemplate = false,
  offersOpen = false,
}: SecretCheckboxProps) {
  return (
    <div>
      <HintedCheckbox
        label="Secret"
        hint={hintOf(checked, isTemplate)}
        checked={checked}
        onChange={onChange}
      />
      {checked && offersOpen && (
        <p role="status" className="mt-1 pl-7.5 text-xs text-ink-soft">
          This does not look secret. Untick the box if every member may read it.
        </p>
      )}
    </div>
  )
}

function hintOf(checked: boolean, isTemplate: boolean): string {
  if (checked) return 'These pages hide the value from everyone, until the key is declared not secret.'
  if (isTemplate) return 'Every member sees this text. The composed value is secret if one of its parts is.'
  return 'Every member of the workspace sees the value.'
}
