import { useId } from 'react'

type SecretCheckboxProps = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** For the text of a template. */
  isTemplate?: boolean
}

/** Whether a key's value stays hidden once it is stored. */
export function SecretCheckbox({ checked, onChange, isTemplate = false }: SecretCheckboxProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-0.5"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        aria-describedby={`${id}-hint`}
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          Secret
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-soft">
          {hintOf(checked, isTemplate)}
        </p>
      </div>
    </div>
  )
}

function hintOf(checked: boolean, isTemplate: boolean): string {
  if (checked) return 'These pages hide the value from everyone, until the key is declared not secret.'
  if (isTemplate) return 'Every member sees this text. The composed value is secret if one of its parts is.'
  return 'Every member of the workspace sees the value.'
}
