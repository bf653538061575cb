import { LIMITS } from '@keyferry/contract/limits'
import { DescriptionField } from '../../ui/description-field.tsx'
import { TextField } from '../../ui/text-field.tsx'

type MachineDraft = { name: string; description: string }

type MachineFieldsProps = {
  draft: MachineDraft
  onChange: (change: Partial<MachineDraft>) => void
  nameProblem: string | null
}

/** The fields of a machine: name and description. */
export function MachineFields({ draft, onChange, nameProblem }: MachineFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        autoFocus
        value={draft.name}
        maxLength={LIMITS.machineNameLength}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        problem={nameProblem}
        hint="Letters, digits, ., /, - and _."
        placeholder="ci-deploy"
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
    </>
  )
}

/** Why a text cannot be a machine's name, or null. */
export function machineNameProblem(name: string): string | null {
  if (name.trim() === '') return 'Give the machine a name.'
  return /^[A-Za-z0-9._/-]+$/.test(name.trim())
    ? null
    : 'Use only letters, digits, ., /, - and _ in the name.'
}
