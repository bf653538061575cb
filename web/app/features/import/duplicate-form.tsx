import { isProduction } from '@keyferry/contract/production'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { BundleItem, BundleWithItems, ImportChoice, ImportStep } from '../../lib/calls/answers.ts'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import { useWeaker } from '../../lib/data/keys.ts'
import { useMay } from '../../lib/data/me.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { BundleNameField } from '../../ui/bundle-forms.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { StepRow } from '../../ui/import-step/step-row.tsx'
import { Rows } from '../../ui/section.tsx'
import { WeakerNotice } from '../../ui/stricter-notice.tsx'
import { AllChoices } from './import-preview.tsx'

/** Makes a bundle as a copy of another one: of the one that the address names, or that the person chooses. */
export function DuplicateForm() {
  const [params, setParams] = useSearchParams()
  const bundles = useAnswer('listBundles', {}).data?.filter(({ may_duplicate }) => may_duplicate)
  const wanted = params.get('bundle')
  const id = bundles?.find(({ name }) => name === wanted)?.id ?? null
  const bundle = useAnswer('getBundle', { bundle_id: id ?? '' }, { enabled: id !== null }).data
  return (
    <div className="max-w-read space-y-4">
      <Combobox
        label="Bundle to copy"
        placeholder="dev/app"
        options={bundles ?? []}
        chosenId={id}
        onChoose={(chosen) =>
          setParams({ bundle: bundles?.find((each) => each.id === chosen)?.name ?? '' }, { replace: true })
        }
      />
      {bundle !== undefined && <CopyOf key={bundle.id} bundle={bundle} as={params.get('as')} />}
    </div>
  )
}

type CopyOfProps = {
  bundle: BundleWithItems
  /** A name for the duplicate, where one is known. */
  as: string | null
}

/** The name of a duplicate, and which of its variables get values of their own. */
function CopyOf({ bundle, as }: CopyOfProps) {
  const [, navigate] = useLocation()
  const may = useMay()
  const duplicate = useChange('duplicateBundle', { bundle_id: bundle.id })
  const proposed = as === null || as === '' ? `${bundle.name}-copy` : as
  const [name, setName] = useState(proposed)
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string | null>(null)
  const attached = bundle.items.filter(({ id }) => id !== null)
  const copiedIds = attached.flatMap(({ id, name: copied }) => (id && own.has(copied) ? [id] : []))
  const weaker = useWeaker(copiedIds, bundle.id)
  const plan = attached.map((item) => stepOf(item, bundle.name, own.has(item.name)))
  const choose = (names: readonly string[], choice: ImportChoice) => {
    const chosen = new Set(names)
    setOwn(choice === 'own' ? own.union(chosen) : own.difference(chosen))
  }
  const input = () => {
    const found = bundleNameProblem(name)
    setProblem(found)
    return found === null ? { name, own: [...own] } : null
  }
  return (
    <DialogForm
      title="Duplicate the bundle"
      action="Duplicate"
      isProduction={isProduction({ ...bundle, name, production: 'by_name' })}
      change={duplicate}
      input={input}
      unsaved={name !== proposed || own.size > 0}
      leadsTo={(copy) => `${applicationHref(copy.name)}?new=1`}
      done={(copy) => `Created ${copy.name}.`}
      onClose={() => navigate(applicationHref(bundle.name))}
    >
      <BundleNameField value={name} onChange={setName} problem={problem} />
      {may('splitKey') && attached.length > 0 ? (
        <>
          <AllChoices plan={plan} onChoose={choose} />
          <Rows label="Variables">
            {plan.map((step) => (
              <StepRow
                key={step.name}
                name={step.name}
                step={step}
                onChoose={(chosen, choice) => choose([chosen], choice)}
              />
            ))}
          </Rows>
        </>
      ) : (
        <p className="text-sm text-ink-soft">The two share their values: changing one changes it in both.</p>
      )}
      <WeakerNotice names={weaker} />
    </DialogForm>
  )
}

/** What the duplicate does with a variable of the bundle. */
const stepOf = (
  { id, name, is_secret, template_parts }: BundleItem,
  of: string,
  isOwn: boolean,
): ImportStep => ({
  name,
  action: isOwn ? 'own' : 'share',
  key_id: id,
  key_name: name,
  is_secret,
  shared_with: [of],
  shared_total: 1,
  choices: ['own', 'share'],
  ...(template_parts && { template_parts }),
})
