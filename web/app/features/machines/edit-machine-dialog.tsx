import { useState } from 'react'
import type { Machine } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useUpdateMachine } from '../../lib/machines.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
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
  const [draft, setDraft] = useState({ name, description, audit })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const isChanged = draft.name !== name || draft.description !== description || draft.audit !== audit
  const saved = useUnsaved(isChanged)
  const submit = () => {
    const problem = machineNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    update.mutate(draft, {
      onSuccess: (changed) => {
        saved()
        onClose()
        notify({ text: `Saved ${changed.name}.` })
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <DialogForm action="Save" busy={update.isPending} onSubmit={submit} onCancel={onClose}>
      <MachineFields
        draft={draft}
        nameProblem={nameProblem}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
      <HintedCheckbox
        label="May read the audit log"
        hint="For a machine that exports the log. The log contains no values."
        checked={draft.audit}
        onChange={(checked) => setDraft({ ...draft, audit: checked })}
      />
    </DialogForm>
  )
}
