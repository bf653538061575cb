import { useId } from 'react'
import type { Bundle } from '../../lib/calls/answers.ts'
import { TextField } from '../../ui/text-field.tsx'

type BundleNameFieldProps = {
  value: string
  bundles: readonly Bundle[]
  problem: string | null
  onChange: (name: string) => void
}

/** The bundle to import into: an existing one, or a new one by the name typed. */
export function BundleNameField({ value, bundles, problem, onChange }: BundleNameFieldProps) {
  const listId = useId()
  const exists = bundles.some(({ name }) => name === value)
  return (
    <div className="max-w-md">
      <TextField
        label="Bundle"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        problem={problem}
        hint={
          value === ''
            ? 'An existing name, or a new one such as dev/app.'
            : exists
              ? 'Exists: keys are added to it.'
              : 'New: it will be created.'
        }
        placeholder="dev/app"
        list={listId}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
      <datalist id={listId}>
        {bundles.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
    </div>
  )
}
