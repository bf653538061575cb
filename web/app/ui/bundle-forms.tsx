import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Bundle } from '../lib/calls/answers.ts'
import { call } from '../lib/calls/call.ts'
import { refreshedBy } from '../lib/calls/refreshes.ts'
import { useChange, useSteps } from '../lib/calls/use-call.ts'
import { pageWorkspace, WORKSPACE_HEADER, workspacePath } from '../lib/calls/workspace.ts'
import { useTenants } from '../lib/data/me.ts'
import { applicationHref } from '../lib/page/places.ts'
import { useNamedDraft, useNamedEdit } from '../lib/page/use-named-draft.ts'
import { bundleNameProblem } from '../lib/rules/bundle-names.ts'
import { DescriptionField } from './description-field.tsx'
import { FormDialog } from './dialog-form.tsx'
import { Notice } from './notice.tsx'
import { SelectField } from './select.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** Asks for what a new bundle needs and leads to it.
 * @param name that is offered */
export function NewBundleDialog({ name = '', onClose }: { name?: string; onClose: () => void }) {
  const stored = { name, description: '', tags: '' }
  const workspaces = useTenants().data ?? []
  const here = pageWorkspace() ?? ''
  const [workspace, setWorkspace] = useState(here)
  const create = useSteps(
    (draft: typeof stored) =>
      call('createBundle', draft, { headers: workspace === '' ? {} : { [WORKSPACE_HEADER]: workspace } }),
    { refreshes: refreshedBy('createBundle') },
  )
  const { fields, form } = useNamedDraft({ stored, nameProblemOf: bundleNameProblem, change: create })
  return (
    <FormDialog
      {...form}
      title="New bundle"
      action="Create bundle"
      {...(workspace === here
        ? { leadsTo: (made: Bundle) => applicationHref(made.name) }
        : {
            onDone: (made: Bundle) => location.assign(workspacePath(workspace, applicationHref(made.name))),
          })}
      onClose={onClose}
    >
      <BundleFields {...fields} />
      {workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          value={workspace}
          options={workspaces.map(({ id, name: text }) => [id, text] as const)}
          onChange={setWorkspace}
        />
      )}
    </FormDialog>
  )
}

/** Changes a bundle's name, description and tags. */
export function EditBundleDialog({ bundle, onClose }: { bundle: Bundle; onClose: () => void }) {
  const { id, name, description, tags } = bundle
  const [path] = useLocation()
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
      {...(path === applicationHref(name) &&
        fields.draft.name !== name && { leadsTo: applicationHref(fields.draft.name) })}
      done={(changed) => `Saved ${changed.name}.`}
      onClose={onClose}
    >
      <BundleFields {...fields} />
      {fields.draft.name !== name && (
        <Notice tone="plain" role="status">
          Terminals and{' '}
          <code translate="no" className="font-mono">
            keyferry.json
          </code>{' '}
          files that name {name} do not find it after that.
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
