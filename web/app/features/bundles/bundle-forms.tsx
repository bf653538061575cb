import type { Bundle } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useNamedDraft } from '../../lib/page/use-named-draft.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import { DescriptionField } from '../../ui/description-field.tsx'
import { FormDialog, type FormDialogProps } from '../../ui/dialog-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { TextField, type TextFieldProps } from '../../ui/text-field.tsx'

/** Asks for what a new bundle needs and leads to it. */
export function NewBundleDialog({ onClose }: { onClose: () => void }) {
  return (
    <BundleForm
      title="New bundle"
      action="Create bundle"
      stored={{ name: '', description: '', tags: '' }}
      change={useChange('createBundle', {})}
      leadsTo={({ id }) => `/bundles/${id}`}
      onClose={onClose}
    />
  )
}

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const { id, name, description, tags } = bundle
  return (
    <BundleForm
      title="Edit bundle"
      action="Save"
      stored={{ name, description, tags }}
      change={useChange('updateBundle', { bundle_id: id })}
      done={(changed) => `Saved ${changed.name}.`}
      onClose={onClose}
    />
  )
}

type BundleDraft = Pick<Bundle, 'name' | 'description' | 'tags'>

type BundleFormProps<Answer> = Omit<FormDialogProps<BundleDraft, Answer>, 'input'> & { stored: BundleDraft }

/** The fields of a bundle: name, description and tags. A stored one has a name. */
function BundleForm<Answer>({ stored, ...dialog }: BundleFormProps<Answer>) {
  const { change } = dialog
  const { fields, form } = useNamedDraft({ stored, nameProblemOf: bundleNameProblem, change })
  const { draft, onChange, nameProblem } = fields
  return (
    <FormDialog {...dialog} {...form}>
      <BundleNameField value={draft.name} onChange={(name) => onChange({ name })} problem={nameProblem} />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
      <TextField
        label="Tags (optional)"
        value={draft.tags}
        onChange={(tags) => onChange({ tags })}
        hint="Separated by commas."
      />
      {stored.name !== '' && draft.name !== stored.name && (
        <Notice tone="caution" role="status">
          Terminals and <code className="font-mono">keyferry.json</code> files that name {stored.name} do not
          find it after that.
        </Notice>
      )}
    </FormDialog>
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
