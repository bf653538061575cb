import { useLocation } from 'wouter'
import type { Webhook } from '../../lib/answers.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useDeleteWebhook } from '../../lib/webhooks.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Asks before a webhook is deleted. */
export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const remove = useDeleteWebhook(webhook.id)
  const [, navigate] = useLocation()
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        navigate('/settings/webhooks')
        notify({ text: 'Deleted the webhook.' })
      },
    })
  return (
    <ConfirmDialog
      title="Delete this webhook?"
      action="Delete webhook"
      busy={remove.isPending}
      problem={remove.error === null ? null : describeFailure(remove.error).message}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>This also deletes its log and its waiting messages. To stop it for a while, disable it instead.</p>
    </ConfirmDialog>
  )
}
