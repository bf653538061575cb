import { HintedCheckbox } from '../../../ui/hinted-checkbox.tsx'

/** Allows an identity that is not specific, which the audit log records. */
export function BroadCheckbox(props: { checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <HintedCheckbox
      {...props}
      label="Allow it even though it is not specific"
      hint="More jobs than you intend can act as this machine. The audit log records that you allowed it."
      className="rounded-md bg-danger-soft px-3 py-2.5"
    />
  )
}
