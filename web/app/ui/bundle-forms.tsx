import type { Bundle } from '../lib/calls/answers.ts'
import { useChange } from '../lib/calls/use-call.ts'
import { pageWorkspace } from '../lib/calls/workspace.ts'
import { useTenants } from '../lib/data/me.ts'
import { useNamedDraft, useNamedEdit } from '../lib/page/use-named-draft.ts'
import { bundleNameProblem } from '../lib/rules/bundle-names.ts'
import { DescriptionField } from './description-field.tsx'
import { FormDialog } from './dialog-form.tsx'
import { Notice } from './notice.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** Asks for what a new bundle needs and leads to it.
 * @param name that is offered */
export function NewBundleDialog({ name = '', onClose }: { name?: string; onClose: () => void }) {
  const create = useChange('createBundle', {})
  const stored = { name, description: '', tags: '' }
  const workspaces = useTenants().data ?? []
  const here = workspaces.find(({ id }) => id === pageWorkspace())
  const { fields, form } = useNamedDraft({ stored, nameProblemOf: bundleNameProblem, change: create })
  return (
    <FormDialog
      {...form}
      title="New bundle"
      action="Create bundle"
      leadsTo={({ id }) => `/bundles/${id}`}
      onClose={onClose}
    >
      {here !== undefined && workspaces.length > 1 && (
        <p className="text-sm text-ink-soft">
          In the workspace <strong className="font-semibold">{here.name}</strong>. To create it in another
          one, switch at the top of the page first.
        </p>
      )}
      <BundleFields {...fields} />
    </FormDialog>
  )
}

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const { id, name, description, tags } = bundle
  const { fields, form } = useNamedEdit({
    stored: { name, description, tags },
    nameProblemOf: bundleNameProblem,
    change: useChange('updateBundle', { bundle_id: id }),
    recordId: id,
  })
  return (
    <FormDialog
      {...form}
      title="Edit bundle"
      action="Save"
      done={(changed) => `Saved ${changed.name}.`}
      onClose={onClose}
    >
      <BundleFields {...fields} />
      {fields.draft.name !== name && (
        <Notice tone="caution" role="status">
          Terminals and <code className="font-mono">keyferry.json</code> files that name {name} do not find it
          after that.
        </Notice>
      )}
    </FormDialog>
  )
}

type BundleFormDraft = Pick<Bundle, 'name' | 'description' | 'tags'>

type BundleFieldsProps = {
  draft: BundleFormDraft
  onChange: (change: Partial<BundleFormDraft>) => void
  nameProblem: string | null
}

/** The fields of a bundle: name, description and tags. */
function BundleFields({ draft, onChange, nameProblem }: BundleFieldsProps) {
  return (
    <>
      <BundleNameField value={draft.name} onChange={(name) => onChange({ name })} problem={nameProblem} />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
      <TextField
        label="Tags (optional)"
        value={draft.tags}
        onChange={(tags) => onChange({ tags })}
        hint="Separated by commas."
      />
    </>
  )
}

/** The field for a bundle's name. */
export function BundleNameField(props: Pick<TextFieldProps, 'value' | 'onChange' | 'problem'>) {
  return (
    <TextField
      {...props}
      label="Name"
      autoFocus
      hint="Letters, digits, - and _. A / makes folders: dev/app."
      placeholder="dev/app"
      code="normal"
    />
  )
}
