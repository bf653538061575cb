import { useState } from 'react'
import { useLocation } from 'wouter'
import type { BundleWithItems } from '../../lib/answers.ts'
import { bundleNameProblem } from '../../lib/bundle-names.ts'
import { useDuplicateBundle } from '../../lib/bundles.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useIsOwner } from '../../lib/me.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { notify } from '../../ui/toast-store.ts'
import { BundleNameField } from './bundle-fields.tsx'
import { duplicateOf, type OwnValues, valueProblems } from './duplicate-draft.ts'
import { DuplicateNames } from './duplicate-names.tsx'

type DuplicateBundleDialogProps = {
  bundle: BundleWithItems
  /** A name for the duplicate, where one is known. */
  as: string | null
  onClose: () => void
}

/** Asks for the name of a duplicate and which of its keys are shared, creates it and leads to it. */
export function DuplicateBundleDialog(props: DuplicateBundleDialogProps) {
  return (
    <Dialog title={`Duplicate ${props.bundle.name}`} onClose={props.onClose} wide>
      <DuplicateForm {...props} />
    </Dialog>
  )
}

function DuplicateForm({ bundle, as, onClose }: DuplicateBundleDialogProps) {
  const isOwner = useIsOwner()
  const { name, setName, problem, own, setOwn, duplicate, submit } = useDuplicate({ bundle, as, onClose })
  const attached = bundle.items.filter(({ id }) => id !== null)
  const failure = duplicate.error === null ? null : describeFailure(duplicate.error)
  return (
    <DialogForm action="Duplicate" busy={duplicate.isPending} onSubmit={submit} onCancel={onClose}>
      <BundleNameField value={name} onChange={setName} problem={problem} />
      {isOwner && attached.length > 0 ? (
        <DuplicateNames items={attached} own={own} problems={valueProblems(own)} onChange={setOwn} />
      ) : (
        <p className="text-sm text-ink-soft">
          Both bundles use the same keys: changing a value changes it in both.
        </p>
      )}
      {failure !== null && (
        <Notice tone="danger" role="alert">
          {failure.message} Nothing was created.
        </Notice>
      )}
    </DialogForm>
  )
}

function useDuplicate({ bundle, as, onClose }: DuplicateBundleDialogProps) {
  const duplicate = useDuplicateBundle(bundle.id)
  const [, navigate] = useLocation()
  const proposed = as === null || as === '' ? `${bundle.name}-copy` : as
  const [name, setName] = useState(proposed)
  const [own, setOwn] = useState<OwnValues>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const saved = useUnsaved(name !== proposed || [...own.values()].some((value) => value !== ''))
  const submit = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    if (found !== null || valueProblems(own).size > 0) return
    duplicate.mutate(duplicateOf(name, own), {
      onSuccess: (copy) => {
        saved()
        onClose()
        navigate(`/bundles/${copy.id}?new=1`)
        notify({ text: `Created ${copy.name}.` })
      },
    })
  }
  return { name, setName, problem, own, setOwn, duplicate, submit }
}
