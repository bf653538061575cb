import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Bundle } from '../../lib/answers.ts'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useDuplicateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { notify } from '../../ui/toast-store.ts'
import { BundleNameField } from './bundle-fields.tsx'
import { FormDialog } from './form-dialog.tsx'

/** Asks for the name of a duplicate and leads to it. */
export function DuplicateBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const duplicate = useDuplicateBundle(bundle.id)
  const [, navigate] = useLocation()
  const [name, setName] = useState(`${bundle.name}-copy`)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    if (found !== null) return
    duplicate.mutate(name, {
      onSuccess: (copy) => {
        onClose()
        navigate(`/bundles/${copy.id}`)
        notify({ text: `Created ${copy.name}.` })
      },
      onError: (error) => setProblem(describeFailure(error).message),
    })
  }
  return (
    <FormDialog
      title={`Duplicate ${bundle.name}`}
      action="Duplicate"
      busy={duplicate.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <BundleNameField value={name} onChange={setName} problem={problem} />
      <p className="text-sm text-ink-soft">
        Both bundles hold the same keys: changing a value changes it in both.
      </p>
    </FormDialog>
  )
}
