import { spanText } from '@keyferry/contract/limits'
import { WEBHOOK_TIMES } from '@keyferry/contract/webhooks/limits'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { ALL } from '../../lib/data/lists.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import type { CreatedWebhook, Webhook } from '../../lib/webhooks/answers.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type DialogFormProps, FormDialog } from '../../ui/dialog-form.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { NO_WEBHOOK, WebhookFields, type WebhookFieldValues } from './webhook-fields.tsx'

/** Creates a webhook, shows its secret once, and leads to its page. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useChange('createWebhook', {})
  const [, navigate] = useLocation()
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  const { draft, change, set } = useEdit(NO_WEBHOOK)
  if (created === null) {
    return (
      <WebhookForm
        title="New webhook"
        action="Create webhook"
        draft={draft}
        onDraft={set}
        input={() => draft}
        unsaved={change !== null}
        change={create}
        onDone={setCreated}
        onClose={onClose}
      />
    )
  }
  const leave = () => navigate(`/settings/webhooks/${created.id}`)
  return (
    <Dialog title="Webhook created" onClose={leave}>
      <ShownSecret secret={created.secret} onClose={leave} />
    </Dialog>
  )
}

/** Changes where a webhook calls, and for what. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, url, description, events, bundle_ids } = webhook
  const update = useChange('updateWebhook', { webhook_id: id })
  const { draft, change, set, conflict } = useEdit<WebhookFieldValues>({
    url,
    description,
    events,
    bundle_ids,
  })
  return (
    <WebhookForm
      title="Edit webhook"
      action="Save"
      draft={draft}
      onDraft={set}
      input={() => change}
      unsaved={change !== null}
      edited={{ conflict, recordId: id, isUnchanged: change === null }}
      change={update}
      done="Saved the webhook."
      onClose={onClose}
    />
  )
}

type WebhookFormProps<Input, Answer> = DialogFormProps<Input, Answer> & {
  draft: WebhookFieldValues
  onDraft: (change: Partial<WebhookFieldValues>) => void
}

/** The form of a webhook, with the server's refusal of its address beside the field. */
function WebhookForm<Input, Answer>({ draft, onDraft, ...form }: WebhookFormProps<Input, Answer>) {
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const failure = form.change.error === null ? null : describeFailure(form.change.error)
  const isOfAddress = failure?.code === 'target_refused' || failure?.details['field'] === 'url'
  const input = () => {
    const isAddress = URL.canParse(draft.url)
    setProblem(isAddress ? undefined : 'Give the whole address, with https://.')
    return isAddress ? form.input() : null
  }
  return (
    <FormDialog {...form} input={input} hidesError={isOfAddress}>
      <WebhookFields
        draft={draft}
        problem={problem ?? (isOfAddress ? failure?.message : undefined)}
        onChange={({ url, ...rest }) => onDraft(url === undefined ? rest : { ...rest, url: url.trim() })}
      />
    </FormDialog>
  )
}

/** Creates a new secret, which signs beside the old one for a day, and shows it once. */
export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useChange('rotateWebhookSecret', { webhook_id: webhook.id })
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) {
    return (
      <Dialog title="New secret" onClose={onClose}>
        <ShownSecret secret={secret} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <ConfirmChange
      title="Create a new secret?"
      action="Create the new secret"
      change={rotate}
      onDone={(answer) => setSecret(answer.secret)}
      onClose={onClose}
    >
      <p>
        For {spanText(WEBHOOK_TIMES.overlapSeconds)}, each call has two signatures, by the new and the old
        secret.
      </p>
      <p>Replace the secret at the receiver in this time. After that, calls have only the new signature.</p>
    </ConfirmChange>
  )
}

/** The secret of a webhook, which no later page shows. */
function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce
      label="Secret"
      secret={secret}
      warning="Copy the secret now. The server does not show it again."
      onClose={onClose}
    >
      The receiver needs it to verify the header{' '}
      <code translate="no" className="font-mono">
        webhook-signature
      </code>{' '}
      of each call (Standard Webhooks). Refuse calls without a valid signature.
    </ShownOnce>
  )
}

/** Asks before a webhook is deleted. */
export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const shows = without('listWebhooks', ALL, webhook.id)
  const remove = useChange('deleteWebhook', { webhook_id: webhook.id }, { shows })
  return (
    <ConfirmChange
      title="Delete this webhook?"
      action="Delete webhook"
      change={remove}
      done="Deleted the webhook."
      leadsTo="/settings/workspace"
      onClose={onClose}
    >
      <p>This also deletes its log and its waiting messages. To stop it for a while, disable it instead.</p>
    </ConfirmChange>
  )
}
