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
  const update = useUpdateKey(item.id)
  const [draft, setDraft] = useState<Draft>(() => draftOf(item))
  const change = changeOf(item, draft)
  const problem = draft.value === null ? null : valueProblem(draft.value)
  const isChanged = Object.keys(change).length > 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null || !isChanged || update.isPending) return
    update.mutate(change, {
      onSuccess: () => {
        setDraft({ ...draft, value: draft.isSecret ? null : draft.value })
        notify({ text: `Saved ${item.name}.` })
      },
    })
  }
  return (
    <form onSubmit={submit} className="space-y-5" noValidate>
      <ValueField
        label={item.is_secret ? 'New value' : 'Value'}
        value={draft.value ?? ''}
        isSecret={draft.isSecret}
        onChange={(value) => setDraft({ ...draft, value: value === '' && item.is_secret ? null : value })}
        problem={problem ?? undefined}
        placeholder={item.is_secret && draft.value === null ? 'Leave empty to keep the stored value' : ''}
      />
      {item.is_secret && (draft.value ?? '') === '' && (
        <EmptyValueChoice
          chosen={draft.value === ''}
          onChoose={(chosen) => setDraft({ ...draft, value: chosen ? '' : null })}
        />
      )}
      <SecretCheckbox checked={draft.isSecret} onChange={(isSecret) => setDraft({ ...draft, isSecret })} />
      {item.is_secret && !draft.isSecret && (
        <Notice tone="caution">Once saved, every member of the workspace can read the value.</Notice>
      )}
      <TextField
        label="Description"
        value={draft.description}
        onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
      />
      {change.value !== undefined && item.bundles.length > 0 && (
        <Notice tone="caution" role="status">
          Saving changes {item.bundles.length} {item.bundles.length === 1 ? 'bundle' : 'bundles'} at once.
          Programs that run keep the old value until they are started again.
        </Notice>
      )}
      {update.error !== null && (
        <Notice tone="danger" role="alert">
          {describeFailure(update.error).message}
        </Notice>
      )}
      <Button type="submit" look="primary" busy={update.isPending} disabled={!isChanged}>
        Save changes
      </Button>
    </form>
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
