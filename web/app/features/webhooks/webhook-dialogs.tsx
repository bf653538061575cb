import { useState } from 'react'
import { useLocation } from 'wouter'
import type { CreatedWebhook, Webhook } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange, without } from '../../lib/calls/use-call.ts'
import { ALL } from '../../lib/data/lists.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/dialog-form.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import type { Change, Ending } from '../../ui/use-ending.ts'
import { NO_WEBHOOK, type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

/** Creates a webhook, shows its secret once, and leads to its page. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useChange('createWebhook', {})
  const [, navigate] = useLocation()
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  if (created === null) {
    return (
      <WebhookForm
        title="New webhook"
        action="Create webhook"
        stored={NO_WEBHOOK}
        change={create}
        onDone={setCreated}
        onClose={onClose}
      />
    )
  }
  const leave = () => navigate(`/settings/webhooks/${created.id}`)
  return (
    <Dialog title="Webhook created" onClose={leave} wide>
      <ShownSecret secret={created.secret} onClose={leave} />
    </Dialog>
  )
}

/** Changes where a webhook calls, and for what. */
export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, url, description, events, bundle_ids } = webhook
  const update = useChange('updateWebhook', { webhook_id: id })
  return (
    <WebhookForm
      title="Edit webhook"
      action="Save"
      stored={{ url, description, events, bundle_ids }}
      change={update}
      done="Saved the webhook."
      onClose={onClose}
    />
  )
}

type WebhookFormProps<Answer> = Ending<Answer> & {
  title: string
  action: string
  /** What is stored now. */
  stored: WebhookDraft
  change: Change<WebhookDraft, Answer>
}

/** The form of a webhook, with the server's refusal of its address beside the field. */
function WebhookForm<Answer>({ stored, ...form }: WebhookFormProps<Answer>) {
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
      look="primary"
      change={rotate}
      onDone={(answer) => setSecret(answer.secret)}
      onClose={onClose}
    >
      <p>For 24 hours, each call has two signatures, by the new and the old secret.</p>
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
      The receiver needs it to verify the header <code className="font-mono">webhook-signature</code> of each
      call (Standard Webhooks). Refuse calls without a valid signature.
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
      leadsTo="/settings/webhooks"
      onClose={onClose}
    >
      <p>This also deletes its log and its waiting messages. To stop it for a while, disable it instead.</p>
    </ConfirmChange>
  )
}
