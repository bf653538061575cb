import type { Webhook } from '../../lib/calls/answers.ts'
import { shown, useChange } from '../../lib/calls/use-change.ts'
import { ALL_WEBHOOKS } from '../../lib/data/webhooks.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'

/** Asks before a webhook is deleted. */
export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const remove = useChange(
    'deleteWebhook',
    { webhook_id: webhook.id },
    { shows: shown('listWebhooks', ALL_WEBHOOKS, (all) => all.filter(({ id }) => id !== webhook.id)) },
  )
  return (
    <ConfirmChange
      title="Delete this webhook?"
      action="Delete webhook"
      change={remove}
      input={undefined}
      done="Deleted the webhook."
      leadsTo="/settings/webhooks"
      onClose={onClose}
    >
      <p>This also deletes its log and its waiting messages. To stop it for a while, disable it instead.</p>
    </ConfirmChange>
  )
}
