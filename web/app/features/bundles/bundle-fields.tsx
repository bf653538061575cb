import { DescriptionField } from '../../ui/description-field.tsx'
import { TextField } from '../../ui/text-field.tsx'

type BundleDraft = { name: string; description: string; tags: string }

type BundleFieldsProps = {
  draft: BundleDraft
  onChange: (change: Partial<BundleDraft>) => void
  nameProblem: string | null
}

/** The fields of a bundle: name, description and tags. */
export function BundleFields({ draft, onChange, nameProblem }: BundleFieldsProps) {
  return (
    <>
      <BundleNameField value={draft.name} onChange={(name) => onChange({ name })} problem={nameProblem} />
      <DescriptionField value={draft.description} onChange={(description) => onChange({ description })} />
      <TextField
        label="Tags (optional)"
        value={draft.tags}
        onChange={(event) => onChange({ tags: event.currentTarget.value })}
        hint="Separated by commas."
      />
    </>
  )
}

type BundleNameFieldProps = { value: string; onChange: (name: string) => void; problem: string | null }

/** The field for a bundle's name. */
export function BundleNameField({ value, onChange, problem }: BundleNameFieldProps) {
  return (
    <TextField
      label="Name"
      autoFocus
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      problem={problem}
      hint="Letters, digits, - and _. A / makes folders: dev/app."
      placeholder="dev/app"
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
    />
  )
}
