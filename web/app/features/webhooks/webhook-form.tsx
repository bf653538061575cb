import { useState } from 'react'
import { describeFailure } from '../../lib/failure.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

type WebhookFormProps = {
  action: string
  /** What is stored now. */
  stored: WebhookDraft
  busy: boolean
  error: Error | null
  onSave: (draft: WebhookDraft, saved: () => void) => void
  onCancel: () => void
}

/** The form of a webhook, with the server's refusal of its address beside the field. */
export function WebhookForm({ action, stored, busy, error, onSave, onCancel }: WebhookFormProps) {
  const [draft, setDraft] = useState(stored)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const saved = useUnsaved(JSON.stringify(draft) !== JSON.stringify(stored))
  const failure = error === null ? null : describeFailure(error)
  const isOfAddress = failure?.code === 'target_refused' || failure?.details['field'] === 'url'
  const submit = () => {
    const url = draft.url.trim()
    if (!URL.canParse(url)) return setProblem('Give the whole address, with https://.')
    setProblem(undefined)
    onSave({ ...draft, url }, saved)
  }
  return (
    <DialogForm
      action={action}
      busy={busy}
      error={isOfAddress ? null : error}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <WebhookFields
        draft={draft}
        problem={problem ?? (isOfAddress ? failure?.message : undefined)}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </DialogForm>
  )
}
