import { useState } from 'react'
import { useSplitKey } from '../../lib/attachments.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { valueProblem } from '../../lib/value-warnings.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ValueField } from '../../ui/value-field.tsx'
import type { EntryChange } from './entry-change.ts'

// What a person types here is a value, also where the shared key is a template.
function given({ template_parts }: EntryChange['item'], value: string) {
  return template_parts === undefined ? { value } : { value, is_template: false }
}

/** Asks for the value that a bundle gets for itself in the place of a shared key's. */
export function OwnValueForm({ bundle, item, onDone, onCancel }: EntryChange) {
  const split = useSplitKey()
  const [value, setValue] = useState(item.is_secret ? '' : item.value)
  const saved = useUnsaved(value !== (item.is_secret ? '' : item.value))
  const [problem, setProblem] = useState<string | undefined>()
  const submit = () => {
    const keepsValue = item.is_secret && value === ''
    const found = keepsValue ? null : valueProblem(value)
    setProblem(found ?? undefined)
    if (found !== null) return
    split.mutate(
      { bundleId: bundle.id, keyId: item.id ?? '', ...(keepsValue ? {} : given(item, value)) },
      {
        onSuccess: ({ name }) => {
          saved()
          onDone()
          notify({ text: `${bundle.name} has its own ${item.name}: the key ${name}.` })
        },
      },
    )
  }
  return (
    <DialogForm
      action="Give it its own value"
      busy={split.isPending}
      error={split.error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <ValueField
        label={`Value in ${bundle.name}`}
        value={value}
        isSecret={item.is_secret}
        onChange={setValue}
        problem={problem}
        placeholder={item.is_secret ? placeholderOf(item) : ''}
        autoFocus
      />
      <p className="text-sm text-ink-soft">
        A new key for {bundle.name} takes the place of {item.key_name}. Other bundles keep the value they
        have.
      </p>
    </DialogForm>
  )
}

function placeholderOf({ template_parts }: EntryChange['item']): string {
  const what = template_parts === undefined ? 'value' : 'text, which stays composed'
  return `Leave empty to start with a copy of the shared ${what}`
}
