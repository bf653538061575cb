import { useState } from 'react'
import type { Webhook } from '../../lib/calls/answers.ts'
import { WEBHOOKS } from '../../lib/calls/refreshes.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { ConfirmChange } from '../../ui/confirm-change.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ShownSecret } from './shown-secret.tsx'

/** Creates a new secret, which signs beside the old one for a day, and shows it once. */
export function RotateSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const rotate = useChange('rotateWebhookSecret', { webhook_id: webhook.id }, { refreshes: WEBHOOKS })
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
      input={undefined}
      onDone={(answer) => setSecret(answer.secret)}
      onClose={onClose}
    >
      <p>For 24 hours, each call has two signatures, by the new and the old secret.</p>
      <p>Replace the secret at the receiver in this time. After that, calls have only the new signature.</p>
    </ConfirmChange>
  )
}
