import { type FormEvent, useState } from 'react'
import type { Key, KeyWithBundles } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { type KeyChange, useUpdateKey } from '../../lib/keys.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { valueProblem } from '../../lib/value-warnings.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SecretCheckbox } from '../../ui/secret-checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'
import { ValueField } from '../../ui/value-field.tsx'

type Draft = { value: string | null; description: string; isSecret: boolean }

/** Changes a key. A secret's value can be replaced, never read: its field starts empty, and empty leaves the value as it is
 * unless the person asks to store an empty one. */
export function EditKeyForm({ item }: { item: KeyWithBundles }) {
  const { draft, set, change, problem, save, update, showing } = useKeyEdit(item)
  return (
    <form onSubmit={save} className="space-y-5" noValidate>
      {!item.is_secret && (
        <div className="relative">
          <CopyButton text={item.value} what="the value" className="absolute -top-2.5 right-0 z-1" />
        </div>
      )}
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
      {showing.isAsked && (
        <ConfirmDialog
          title={`Show the value of ${item.name}?`}
          action="Show to all members"
          busy={update.isPending}
          problem={update.error === null ? null : describeFailure(update.error).message}
          onConfirm={showing.confirm}
          onClose={showing.cancel}
        >
          <p>
            A key that is not secret shows its value to every member of the workspace, in lists and exports
            too. You cannot take back what people have read.
          </p>
        </ConfirmDialog>
      )}
      {update.error !== null && !showing.isAsked && (
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
  useUnsaved(Object.keys(change).length > 0)
  const problem = draft.value === null ? null : valueProblem(draft.value)
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const [isAsked, setAsked] = useState(false)
  const send = () =>
    update.mutate(change, {
      onSuccess: (saved) => {
        setAsked(false)
        setDraft(draftOf(saved))
        notify({ text: `Saved ${item.name}.` })
      },
    })
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (problem !== null || Object.keys(change).length === 0 || update.isPending) return
    if (change.is_secret === false) setAsked(true)
    else send()
  }
  const showing = { isAsked, confirm: send, cancel: () => setAsked(false) }
  return { draft, set, change, problem, save, update, showing }
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

function draftOf({ value, is_secret, description }: Key): Draft {
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
