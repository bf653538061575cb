import { useState } from 'react'
import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { isOvertaken } from '../../lib/calls/failure.ts'
import { useSaveKey } from '../../lib/data/keys.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useKeyDraft } from '../../lib/page/use-key-draft.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-change.tsx'
import { ConflictNotice } from '../../ui/conflict-notice.tsx'
import { Form } from '../../ui/form.tsx'
import { LifetimeFields, rotationProblem } from '../../ui/lifetime-fields.tsx'
import { FailureNotice } from '../../ui/notice.tsx'
import { SecretChoice } from '../../ui/secret-choice.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

type DetailsFormProps = { item: KeyWithBundles; onDone: () => void }

/** Changes what is known of a key beside its value, in every bundle that uses it. */
export function DetailsForm({ item, onDone }: DetailsFormProps) {
  const saving = useSaveKey(item.id)
  const { draft, change, set, notice } = useKeyDraft(item, { isSaving: saving.isPending })
  const [asks, setAsks] = useState(false)
  const isTouched = Object.keys(change).length > 0
  const saved = useUnsaved(isTouched)
  const send = () =>
    saving.mutate(
      { change, bundleId: null },
      {
        onSuccess: () => {
          saved()
          onDone()
          notify({ text: `Saved ${item.name}.` })
        },
        onError: (error) => isOvertaken(error) && setAsks(false),
      },
    )
  const save = () => {
    if (!isTouched || rotationProblem(draft.rotate_after_days) !== null) return
    if (change.is_secret === false) setAsks(true)
    else send()
  }
  return (
    <Form busy={saving.isPending} onSubmit={save} className="max-w-read space-y-5">
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <LifetimeFields lifetime={draft} onChange={set} />
      {(item.may_show || !item.is_secret) && (
        <SecretChoice isSecret={draft.is_secret} onChange={(is_secret) => set({ is_secret })} />
      )}
      {asks && (
        <ConfirmDialog
          title={`Show the value of ${item.name}?`}
          action="Show to all members"
          busy={saving.isPending}
          error={saving.error}
          onConfirm={send}
          onClose={() => setAsks(false)}
        >
          <p>
            A variable that is not secret shows its value to every member of the workspace, in lists and
            exports too. You cannot take back what people have read.
            {item.bundles.length > 1 && ` ${counted(item.bundles.length, 'bundle')} use this value.`}
          </p>
        </ConfirmDialog>
      )}
      <ConflictNotice {...notice} />
      {!asks && !isOvertaken(saving.error) && <FailureNotice error={saving.error} act="save this" />}
      <div className="flex gap-3">
        <Button
          label="Save changes"
          type="submit"
          look="primary"
          busy={saving.isPending}
          disabled={!isTouched}
        />
        <Button label="Cancel" look="quiet" onClick={onDone} />
      </div>
    </Form>
  )
}
