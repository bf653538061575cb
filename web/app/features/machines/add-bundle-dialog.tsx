import { useState } from 'react'
import type { Machine } from '../../lib/answers.ts'
import { useBundles } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { SCOPES, scopeNamed } from '../../lib/machine-scopes.ts'
import { useGrantBundle } from '../../lib/machines.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Lets a machine use one more bundle. */
export function AddBundleDialog({ machine, onClose }: { machine: Machine; onClose: () => void }) {
  const bundles = useBundles()
  const grant = useGrantBundle(machine.id)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [scope, setScope] = useState<'deliver' | 'read'>('deliver')
  const [problem, setProblem] = useState<string | null>(null)
  const granted = new Set(machine.grants.map(({ bundle }) => bundle.id))
  const free = (bundles.data ?? []).filter(({ id }) => !granted.has(id))
  const chosen = free.find(({ id }) => id === chosenId)
  const submit = () => {
    if (chosen === undefined) return setProblem('Choose a bundle.')
    grant.mutate(
      { bundleId: chosen.id, scope },
      {
        onSuccess: () => {
          notify({ text: `${machine.name} may now use ${chosen.name}.` })
          onClose()
        },
      },
    )
  }
  return (
    <FormDialog
      title="Add a bundle"
      action="Add bundle"
      busy={grant.isPending}
      error={grant.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Combobox
        label="Bundle"
        placeholder="prod/api"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={chosenId}
        onChoose={(id) => {
          setChosenId(id)
          setProblem(null)
        }}
      />
      {bundles.error !== null && <Notice tone="danger">{describeFailure(bundles.error).message}</Notice>}
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
