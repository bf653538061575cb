import { useId } from 'react'

type BroadCheckboxProps = { checked: boolean; onChange: (checked: boolean) => void }

/** Allows an identity that is not specific, which the audit log records. */
export function BroadCheckbox({ checked, onChange }: BroadCheckboxProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3 rounded-md bg-danger-soft px-3 py-2.5">
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
          Allow it even though it is not specific
        </label>
        <p id={`${id}-hint`} className="text-xs text-ink-soft">
          More jobs than you intend can act as this machine. The audit log records that you allowed it.
        </p>
      </div>
    </div>
  )
}
