import { useState } from 'react'
import { useLocation } from 'wouter'
import { describeFailure } from '../../lib/failure.ts'
import { useCreateMachine } from '../../lib/machines.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
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
  const [draft, setDraft] = useState({ name: '', description: '' })
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const saved = useUnsaved(draft.name !== '' || draft.description !== '')
  const submit = () => {
    const problem = machineNameProblem(draft.name)
    setNameProblem(problem)
    if (problem !== null) return
    create.mutate(draft, {
      onSuccess: ({ id }) => {
        saved()
        navigate(`/machines/${id}?add=${way}`)
      },
      onError: (error) => setNameProblem(describeFailure(error).message),
    })
  }
  return (
    <DialogForm action="Create machine" busy={create.isPending} onSubmit={submit} onCancel={onClose}>
      <MachineFields
        draft={draft}
        nameProblem={nameProblem}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
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
