import { Pause, Pencil, Play, RefreshCw, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Webhook } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { webhookState } from '../../lib/words/webhook-words.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { notifyFailure, telling } from '../../ui/notify-failure.ts'
import { PageHeading } from '../../ui/page-heading.tsx'
import { DeleteWebhookDialog, EditWebhookDialog, RotateSecretDialog } from './webhook-dialogs.tsx'

type Open = 'edit' | 'rotate' | 'delete' | null

/** The head of a webhook's page: its address, how it does, and what an owner can do with it. */
export function WebhookHeading({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeading
        title="Webhook"
        intro={<WebhookIntro webhook={webhook} />}
        actions={<WebhookActions webhook={webhook} onOpen={setOpen} />}
      />
      {open === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteWebhookDialog webhook={webhook} onClose={close} />}
    </>
  )
}

function WebhookIntro({ webhook }: { webhook: Webhook }) {
  const { tone, name } = webhookState(webhook)
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <bdi className="font-mono text-sm text-ink [overflow-wrap:anywhere]">
          {visibleText(webhook.url, 2_000)}
        </bdi>
        <Badge tone={tone}>{name}</Badge>
      </p>
      {webhook.description !== '' && <p className="mt-1 text-sm">{webhook.description}</p>}
    </>
  )
}

function WebhookActions({ webhook, onOpen }: { webhook: Webhook; onOpen: (open: Open) => void }) {
  const given = { webhook_id: webhook.id }
  const test = useChange('testWebhook', given)
  const update = useChange('updateWebhook', given)
  const { is_active } = webhook
  return (
    <>
      {is_active && (
        <Button
          label="Send test"
          busy={test.isPending}
          onClick={() => test.mutate(undefined, telling('Sending a test message. The log shows the answer.'))}
          icon={Send}
        />
      )}
      <Button label="Edit" onClick={() => onOpen('edit')} icon={Pencil} />
      <Button label="New secret" onClick={() => onOpen('rotate')} icon={RefreshCw} />
      <Button
        label={is_active ? 'Disable' : 'Enable'}
        icon={is_active ? Pause : Play}
        busy={update.isPending}
        onClick={() => update.mutate({ is_active: !is_active }, { onError: notifyFailure })}
      />
      <Button label="Delete" onClick={() => onOpen('delete')} icon={Trash2} />
    </>
  )
}
