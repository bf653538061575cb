import { useState } from 'react'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useChange } from '../../../lib/calls/use-change.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { ValueField } from '../../../ui/value-field.tsx'
import type { EntryChange } from './entry-change.ts'

// What a person types here is a value, also where the shared key is a template.
function typed({ template_parts }: EntryChange['item'], value: string) {
  return template_parts === undefined ? { value } : { value, is_template: false }
}

/** Asks for the value that a bundle gets for itself in the place of a shared key's. */
export function OwnValueForm({ bundle, item, onClose }: EntryChange) {
  const given = { bundle_id: bundle.id, key_id: item.id ?? '' }
  const split = useChange('splitKey', given, { refreshes: LIBRARY })
  const [value, setValue] = useState(item.is_secret ? '' : item.value)
  const [problem, setProblem] = useState<string | undefined>()
  const input = () => {
    const keepsValue = item.is_secret && value === ''
    const found = keepsValue ? null : valueProblem(value)
    setProblem(found ?? undefined)
    if (found !== null) return null
    return keepsValue ? {} : typed(item, value)
  }
  return (
    <DialogForm
      action="Give it its own value"
      change={split}
      input={input}
      unsaved={value !== (item.is_secret ? '' : item.value)}
      done={({ name }) => `${bundle.name} has its own ${item.name}: the key ${name}.`}
      onClose={onClose}
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
