import type { Machine } from '../../lib/calls/answers.ts'
import { MACHINES } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useNamedDraft } from '../../lib/page/use-named-draft.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { MachineFields, machineNameProblem } from './machine-fields.tsx'

/** Changes a machine's name and description, and whether it may read the audit log. */
export function EditMachineDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const update = useChange('updateMachine', { machine_id: machine.id }, { refreshes: MACHINES })
  const { name, description, audit } = machine
  const { fields, form } = useNamedDraft({
    stored: { name, description, audit },
    nameProblemOf: machineNameProblem,
    change: update,
  })
  return (
    <FormDialog
      {...form}
      title="Edit machine"
      action="Save"
      done={(changed) => `Saved ${changed.name}.`}
      onClose={onClose}
    >
      <MachineFields {...fields} />
      <HintedCheckbox
        label="May read the audit log"
        hint="For a machine that exports the log. The log contains no values."
        checked={fields.draft.audit}
        onChange={(checked) => fields.onChange({ audit: checked })}
      />
    </FormDialog>
  )
}
