import { MACHINE_LIMITS } from '@keyferry/contract/machines/limits'
import { useState } from 'react'
import { useChange } from '../../lib/calls/use-call.ts'
import type { Machine } from '../../lib/machines/answers.ts'
import { type ProofWay, WAYS } from '../../lib/machines/platforms.ts'
import { useNamedDraft, useNamedEdit } from '../../lib/page/use-named-draft.ts'
import { DescriptionField } from '../../ui/description-field.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { HintedCheckbox } from '../../ui/hinted-checkbox.tsx'
import { SelectField } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'

/** Creates a machine and leads to it, with the form for the chosen way to prove itself open. */
export function NewMachineDialog({ way: first, onClose }: { way: ProofWay; onClose: () => void }) {
  const create = useChange('createMachine', {})
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
        onChange={setWay}
        hint={
          way === 'token'
            ? 'A token works until it expires. Use it only if the platform has no ID tokens.'
            : 'You enter its identity in the next form.'
        }
      />
    </FormDialog>
  )
}

/** Changes a machine's name and description, and whether it may read the audit log. */
export function EditMachineDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const update = useChange('updateMachine', { machine_id: machine.id })
  const { name, description, audit } = machine
  const { fields, form } = useNamedEdit({
    stored: { name, description, audit },
    nameProblemOf: machineNameProblem,
    change: update,
    recordId: machine.id,
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

type MachineForm = { name: string; description: string }

type MachineFieldsProps = {
  draft: MachineForm
  onChange: (change: Partial<MachineForm>) => void
  nameProblem: string | null
}

/** The fields of a machine: name and description. */
function MachineFields({ draft, onChange, nameProblem }: MachineFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        autoFocus
        value={draft.name}
        maxLength={MACHINE_LIMITS.nameLength}
        onChange={(name) => onChange({ name })}
        problem={nameProblem}
        hint="Letters, digits, ., /, - and _."
        placeholder="ci-deploy"
        code="normal"
      />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
    </>
  )
}

/** Why a text cannot be a machine's name, or null. */
function machineNameProblem(name: string): string | null {
  if (name.trim() === '') return 'Give the machine a name.'
  return /^[A-Za-z0-9._/-]+$/.test(name.trim())
    ? null
    : 'Use only letters, digits, ., /, - and _ in the name.'
}
