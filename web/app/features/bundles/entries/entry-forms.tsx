import { isKeyName } from '@keyferry/contract/env/names'
import { useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { LIBRARY } from '../../../lib/calls/refreshes.ts'
import { useAnswer } from '../../../lib/calls/use-answer.ts'
import { useChange, useSteps } from '../../../lib/calls/use-change.ts'
import { valueProblem } from '../../../lib/rules/value-warnings.ts'
import { Combobox } from '../../../ui/combobox.tsx'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { ValueField } from '../../../ui/value-field.tsx'

/** What a form that changes one key of a bundle gets. */
type EntryChange = {
  bundle: BundleWithItems
  item: BundleItem
  onClose: () => void
}

// What a person types here is a value, also where the shared key is a template.
function typed({ template_parts }: EntryChange['item'], value: string) {
  return template_parts === undefined ? { value } : { value, is_template: false }
}

/** Asks for the value that a bundle gets for itself in the place of a shared key's. */
export function OwnValueForm({ bundle, item, onClose }: EntryChange) {
  const given = { bundle_id: bundle.id, key_id: item.id ?? '' }
  const split = useChange('splitKey', given)
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

/** Asks for the library key that a bundle uses in the place of another one, under the same delivered name. */
export function OtherKeyForm({ bundle, item, onClose }: EntryChange) {
  const change = useSteps(
    ({ from, to }: { from: string; to: string }) =>
      call('changeAttachment', { bundle_id: bundle.id, key_id: from }, { body: { key_id: to } }),
    { refreshes: LIBRARY },
  )
  const [chosenId, setChosenId] = useState<string | null>(null)
  const attached = new Set(bundle.items.map(({ id }) => id))
  const free = (useAnswer('listKeys', {}).data ?? []).filter((key) => !attached.has(key.id) && key.may_show)
  const own = item.id ?? ''
  const done = () => ({
    text: `${bundle.name} delivers ${item.name} from ${free.find(({ id }) => id === chosenId)?.name ?? ''}.`,
    undo: () => change.mutate({ from: chosenId ?? '', to: own }),
  })
  return (
    <DialogForm
      action="Use this key"
      change={change}
      input={() => (chosenId === null ? null : { from: own, to: chosenId })}
      done={done}
      onClose={onClose}
    >
      <Combobox
        label="Key"
        placeholder="Search the library"
        options={free.map(({ id, name, description }) => ({ id, name, detail: description }))}
        chosenId={chosenId}
        onChoose={setChosenId}
      />
      <p className="text-sm text-ink-soft">
        {item.key_name} stays in the library. Place and required mark stay as they are.
      </p>
    </DialogForm>
  )
}

/** Asks for the name under which the bundle delivers a key. */
export function RenameEntryForm({ bundle, item, onClose }: EntryChange) {
  const given = { bundle_id: bundle.id, key_id: item.id ?? '' }
  const change = useChange('changeAttachment', given)
  const [name, setName] = useState(item.name)
  const [problem, setProblem] = useState<string | null>(null)
  const input = () => {
    setProblem(isKeyName(name) ? null : 'Use letters, digits and _ only.')
    if (name === item.name) onClose()
    return isKeyName(name) && name !== item.name ? { as: name } : null
  }
  const undo = () => change.mutate({ as: item.name })
  return (
    <DialogForm
      action="Rename"
      change={change}
      input={input}
      unsaved={name !== item.name}
      done={() => ({ text: `${bundle.name} delivers ${name}.`, undo })}
      onClose={onClose}
    >
      <TextField
        label="Delivered name"
        autoFocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        problem={problem}
        hint={`The program reads this name. The key stays ${item.key_name} in the library.`}
        code="normal"
      />
    </DialogForm>
  )
}
