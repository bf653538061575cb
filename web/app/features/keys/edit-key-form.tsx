import { type FormEvent, useState } from 'react'
import type { KeyWithBundles } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { type KeyChange, useUpdateKey } from '../../lib/keys.ts'
import { valueProblem } from '../../lib/value-warnings.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretCheckbox } from '../../ui/secret-checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ValueField } from '../../ui/value-field.tsx'

type Draft = { value: string | null; description: string; isSecret: boolean }

/** Changes a key. A secret's value can be replaced, never read: its field starts empty, and empty leaves the value as it is
 * unless the person asks to store an empty one. */
export function EditKeyForm({ item }: { item: KeyWithBundles }) {
  const { draft, set, change, problem, save, update } = useKeyEdit(item)
  return (
    <form onSubmit={save} className="space-y-5" noValidate>
      <ValueField
        label={item.is_secret ? 'New value' : 'Value'}
        value={draft.value ?? ''}
        isSecret={draft.isSecret}
        onChange={(value) => set({ value: value === '' && item.is_secret ? null : value })}
        problem={problem ?? undefined}
        placeholder={item.is_secret && draft.value === null ? 'Leave empty to keep the stored value' : ''}
      />
      {item.is_secret && (draft.value ?? '') === '' && (
        <EmptyValueChoice
          chosen={draft.value === ''}
          onChoose={(chosen) => set({ value: chosen ? '' : null })}
        />
      )}
      <SecretCheckbox checked={draft.isSecret} onChange={(isSecret) => set({ isSecret })} />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Consequences item={item} change={change} />
      {update.error !== null && (
        <Notice tone="danger" role="alert">
          {describeFailure(update.error).message}
        </Notice>
      )}
      <Button
        type="submit"
        look="primary"
        busy={update.isPending}
        disabled={Object.keys(change).length === 0}
      >
        Save changes
      </Button>
    </form>
  )
}

function useKeyEdit(item: KeyWithBundles) {
  const update = useUpdateKey(item.id)
  const [draft, setDraft] = useState<Draft>(() => draftOf(item))
  const change = changeOf(item, draft)
  const problem = draft.value === null ? null : valueProblem(draft.value)
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null || Object.keys(change).length === 0 || update.isPending) return
    update.mutate(change, {
      onSuccess: () => {
        set({ value: draft.isSecret ? null : draft.value })
        notify({ text: `Saved ${item.name}.` })
      },
    })
  }
  return { draft, set, change, problem, save, update }
}

function Consequences({ item, change }: { item: KeyWithBundles; change: KeyChange }) {
  const reach = item.bundles.length
  return (
    <>
      {change.is_secret === false && (
        <Notice tone="caution">Once saved, every member of the workspace can read the value.</Notice>
      )}
      {change.value !== undefined && reach > 0 && (
        <Notice tone="caution" role="status">
          Saving changes {reach} {reach === 1 ? 'bundle' : 'bundles'} at once. Programs that run keep the old
          value until they are started again.
        </Notice>
      )}
    </>
  )
}

function EmptyValueChoice({ chosen, onChoose }: { chosen: boolean; onChoose: (chosen: boolean) => void }) {
  return (
    <label className="flex items-center gap-3 text-sm text-ink-soft">
      <input
        type="checkbox"
        className="checkbox"
        checked={chosen}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      Store an empty value
    </label>
  )
}

function draftOf({ value, is_secret, description }: KeyWithBundles): Draft {
  return { value: is_secret ? null : value, description, isSecret: is_secret }
}

function changeOf(item: KeyWithBundles, draft: Draft): KeyChange {
  const isNewValue = draft.value !== null && (item.is_secret || draft.value !== item.value)
  return {
    ...(isNewValue && draft.value !== null ? { value: draft.value } : {}),
    ...(draft.description === item.description ? {} : { description: draft.description }),
    ...(draft.isSecret === item.is_secret ? {} : { is_secret: draft.isSecret }),
  }
}
