import { useState } from 'react'
import type { BundleWithItems } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'
import { BundleNameField } from './bundle-forms.tsx'
import { duplicateOf, type OwnValues, valueProblems } from './duplicate-draft.ts'
import { DuplicateNames } from './duplicate-names.tsx'

type DuplicateBundleDialogProps = {
  bundle: BundleWithItems
  /** A name for the duplicate, where one is known. */
  as: string | null
  onClose: () => void
}

/** Asks for the name of a duplicate and which of its keys are shared, creates it and leads to it. */
export function DuplicateBundleDialog({ bundle, as, onClose }: DuplicateBundleDialogProps) {
  const isOwner = useIsOwner()
  const duplicate = useChange('duplicateBundle', { bundle_id: bundle.id })
  const proposed = as === null || as === '' ? `${bundle.name}-copy` : as
  const [name, setName] = useState(proposed)
  const [own, setOwn] = useState<OwnValues>(new Map())
  const [problem, setProblem] = useState<string | null>(null)
  const attached = bundle.items.filter(({ id }) => id !== null)
  const copied = attached.flatMap(({ id, name: of }) => (id !== null && own.get(of) === '' ? [id] : []))
  const weaker = useWeaker(copied, bundle.id)
  const input = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    return found !== null || valueProblems(own).size > 0 ? null : duplicateOf(name, own)
  }
  return (
    <FormDialog
      title={`Duplicate ${bundle.name}`}
      action="Duplicate"
      wide
      change={duplicate}
      input={input}
      unsaved={name !== proposed || [...own.values()].some((value) => value !== '')}
      also="Nothing was created."
      leadsTo={(copy) => `/bundles/${copy.id}?new=1`}
      done={(copy) => `Created ${copy.name}.`}
      onClose={onClose}
    >
      <BundleNameField value={name} onChange={setName} problem={problem} />
      {isOwner && attached.length > 0 ? (
        <DuplicateNames items={attached} own={own} problems={valueProblems(own)} onChange={setOwn} />
      ) : (
        <p className="text-sm text-ink-soft">
          Both bundles use the same keys: changing a value changes it in both.
        </p>
      )}
      <WeakerNotice names={weaker} />
    </FormDialog>
  )
}
