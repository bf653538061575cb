import { useState } from 'react'
import { useLocation } from 'wouter'
import { useCreateMachine } from '../../lib/machines.ts'
import { useNamedDraft } from '../../lib/use-named-draft.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { MachineFields, machineNameProblem } from './machine-fields.tsx'
import { WAYS, type Way, wayNamed } from './ways.ts'

type NewMachineProps = { way: Way; onClose: () => void }

/** Creates a machine and leads to it, with the form for the chosen way to prove itself open. */
export function NewMachineDialog({ way, onClose }: NewMachineProps) {
  return (
    <Dialog title="New machine" onClose={onClose}>
      <NewMachineForm way={way} onClose={onClose} />
    </Dialog>
  )
}

function NewMachineForm({ way: first, onClose }: NewMachineProps) {
  const create = useCreateMachine()
  const [, navigate] = useLocation()
  const [way, setWay] = useState(first)
  const { fields, submit } = useNamedDraft({
    stored: { name: '', description: '' },
    nameProblemOf: machineNameProblem,
    save: create,
    onSaved: ({ id }) => navigate(`/machines/${id}?add=${way}`),
  })
  return (
    <DialogForm action="Create machine" busy={create.isPending} onSubmit={submit} onCancel={onClose}>
      <MachineFields {...fields} />
      <SelectField
        label="How it authenticates"
        value={way}
        options={WAYS}
        onChange={(text) => setWay(wayNamed(text) ?? way)}
        hint={
          way === 'token'
            ? 'A token works until it expires. Use it only if the platform has no ID tokens.'
            : 'You enter its identity in the next form.'
        }
      />
    </DialogForm>
  )
}
