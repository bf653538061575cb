import { useState } from 'react'
import type { Bundle, Machine } from '../../lib/calls/answers.ts'
import { MACHINES } from '../../lib/calls/refreshes.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { SCOPES, scopeNamed } from '../../lib/words/machine-scopes.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { FailureNotice } from '../../ui/failure-notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'

/** Lets a machine use one more bundle. */
export function AddBundleDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const bundles = useAnswer('listBundles', {})
  const grant = useChange('grantBundle', { machine_id: machine.id }, { refreshes: MACHINES })
  const [chosen, setChosen] = useState<Bundle | null>(null)
  const [scope, setScope] = useState<'deliver' | 'read'>('deliver')
  const [problem, setProblem] = useState<string | null>(null)
  const granted = new Set(machine.grants.map(({ bundle }) => bundle.id))
  const free = (bundles.data ?? []).filter(({ id }) => !granted.has(id))
  const input = () => {
    setProblem(chosen === null ? 'Choose a bundle.' : null)
    return chosen === null ? null : { bundle_id: chosen.id, scope }
  }
  return (
    <FormDialog
      title="Add a bundle"
      action="Add bundle"
      change={grant}
      input={input}
      done={`${machine.name} may now use ${chosen?.name}.`}
      onClose={onClose}
    >
      <Combobox
        label="Bundle"
        placeholder="prod/api"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={chosen?.id ?? null}
        onChoose={(id) => {
          setChosen(free.find((bundle) => bundle.id === id) ?? null)
          setProblem(null)
        }}
      />
      <FailureNotice error={bundles.error} />
      {problem !== null && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
      <SelectField
        label="What it may do"
        value={scope}
        options={SCOPES}
        onChange={(text) => setScope(scopeNamed(text))}
        hint="With “Fetch values”, the machine can get all values of the bundle at any time, without an approval."
      />
    </FormDialog>
  )
}
