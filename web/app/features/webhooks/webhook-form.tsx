import { useState } from 'react'
import { describeFailure } from '../../lib/calls/failure.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { Change, Ending } from '../../ui/use-ending.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

type WebhookFormProps<Answer> = Ending<Answer> & {
  title: string
  action: string
  /** What is stored now. */
  stored: WebhookDraft
  change: Change<WebhookDraft, Answer>
}

/** The form of a webhook, with the server's refusal of its address beside the field. */
export function WebhookForm<Answer>({ stored, ...form }: WebhookFormProps<Answer>) {
  const [draft, setDraft] = useState(stored)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const failure = form.change.error === null ? null : describeFailure(form.change.error)
  const isOfAddress = failure?.code === 'target_refused' || failure?.details['field'] === 'url'
  const input = () => {
    const url = draft.url.trim()
    setProblem(URL.canParse(url) ? undefined : 'Give the whole address, with https://.')
    return URL.canParse(url) ? { ...draft, url } : null
  }
  return (
    <FormDialog
      {...form}
      wide
      input={input}
      unsaved={JSON.stringify(draft) !== JSON.stringify(stored)}
      hidesError={isOfAddress}
    >
      <WebhookFields
        draft={draft}
        problem={problem ?? (isOfAddress ? failure?.message : undefined)}
        onChange={(change) => setDraft({ ...draft, ...change })}
      />
    </FormDialog>
  )
}
