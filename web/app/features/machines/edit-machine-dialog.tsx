import type { Machine } from '../../lib/answers.ts'
import { useUpdateMachine } from '../../lib/machines.ts'
import { useNamedDraft } from '../../lib/use-named-draft.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { notify } from '../../ui/toast-store.ts'
import { MachineFields, machineNameProblem } from './machine-fields.tsx'

type EditMachineProps = { machine: Machine; onClose: () => void }

/** Changes a machine's name and description, and whether it may read the audit log. */
export function EditMachineDialog(props: EditMachineProps) {
  return (
    <Dialog title="Edit machine" onClose={props.onClose}>
      <EditMachineForm {...props} />
    </Dialog>
  )
}

function EditMachineForm({ machine, onClose }: EditMachineProps) {
  const update = useUpdateMachine(machine.id)
  const { name, description, audit } = machine
  const { fields, submit } = useNamedDraft({
    stored: { name, description, audit },
    nameProblemOf: machineNameProblem,
    save: update,
    onSaved: (changed) => {
      onClose()
      notify({ text: `Saved ${changed.name}.` })
    },
  })
  return (
    <DialogForm action="Save" busy={update.isPending} onSubmit={submit} onCancel={onClose}>
      <MachineFields {...fields} />
      <HintedCheckbox
        label="May read the audit log"
        hint="For a machine that exports the log. The log contains no values."
        checked={fields.draft.audit}
        onChange={(checked) => fields.onChange({ audit: checked })}
      />
    </DialogForm>
  )
}
