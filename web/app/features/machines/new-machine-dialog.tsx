import { useState } from 'react'
import { MACHINES } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useNamedDraft } from '../../lib/page/use-named-draft.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { WAYS, type Way, wayNamed } from './identities/ways.ts'
import { MachineFields, machineNameProblem } from './machine-fields.tsx'

/** Creates a machine and leads to it, with the form for the chosen way to prove itself open. */
export function NewMachineDialog({ way: first, onClose }: { way: Way; onClose: () => void }) {
  const create = useChange('createMachine', {}, { refreshes: MACHINES })
  const [way, setWay] = useState(first)
  const { fields, form } = useNamedDraft({
    stored: { name: '', description: '' },
    nameProblemOf: machineNameProblem,
    change: create,
  })
  return (
    <FormDialog
      {...form}
      title="New machine"
      action="Create machine"
      leadsTo={({ id }) => `/machines/${id}?add=${way}`}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
