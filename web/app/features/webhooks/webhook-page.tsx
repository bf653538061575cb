import { useState } from 'react'
import { useAnswer, useAnswers, useChange } from '../../lib/calls/use-call.ts'
import type { Webhook } from '../../lib/webhooks/answers.ts'
import { bundlesText, eventsText, webhookState } from '../../lib/webhooks/webhook-words.ts'
import { counted } from '../../lib/words/counted.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Pause, Pencil, Play, RefreshCw, Send, Trash2 } from '../../ui/icons.ts'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound, OwnersOnly } from '../../ui/page-note.tsx'
import { failing, withToast } from '../../ui/toast-store.ts'
import { MessageLog } from './message-log.tsx'
import { DeleteWebhookDialog, EditWebhookDialog, RotateSecretDialog } from './webhook-dialogs.tsx'

const REFETCH_MS = 5_000
/** While a call is on its way. */
const SENDING_MS = 1_000

/** One webhook: how its calls do, what it is called for, and its messages. */
export function WebhookPage({ id }: { id: string }) {
  return (
    <OwnersOnly operation="getWebhook" title="Webhooks" what="its webhooks">
      <WebhookOf id={id} />
    </OwnersOnly>
  )
}

function WebhookOf({ id }: { id: string }) {
  const webhook = useAnswer(
    'getWebhook',
    { webhook_id: id },
    {
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && data.waiting > 0 && data.failing_since === null ? SENDING_MS : REFETCH_MS,
    },
  )
  return (
    <Loaded
      query={webhook}
      what="the webhook"
      missing={<NotFound what="Webhook" href="/settings/workspace" list="webhooks" />}
      follows
    >
      {(data) => (
        <>
          <WebhookHeading webhook={data} />
          <OutdatedNotice query={webhook} />
          <State webhook={data} />
          <WebhookFacts webhook={data} />
          <MessageLog webhook={data} />
        </>
      )}
    </Loaded>
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const { tone, text } = webhookState(webhook)
  if (text === null) return null
  return (
    <Notice tone={tone} className="mb-4 max-w-read">
      {text}
    </Notice>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { events, bundle_ids, last_delivered_at, old_secret_until, waiting } = webhook
  const inputs = bundle_ids.map((bundle_id) => ({ bundle_id }))
  const bundles = useAnswers('getBundle', inputs)
  const names = bundle_ids.map((id) => bundles.find((bundle) => bundle.id === id)?.name ?? 'a deleted bundle')
  const facts = {
    Events: events.length === 0 ? eventsText(webhook) : events.join(', '),
    Bundles: names.length === 0 ? bundlesText(webhook) : names.join(', '),
    Delivered: last_delivered_at === null ? 'never' : `last ${ago(last_delivered_at)}`,
    Waiting: waiting === 0 ? '' : counted(waiting, 'message'),
    'Old secret': old_secret_until === null ? '' : `signs too until ${dateTime(old_secret_until)}`,
  }
  return (
    <div className="mb-4 max-w-read rounded-lg border border-line bg-surface p-4">
      <Facts facts={facts} />
    </div>
  )
}

type WebhookDialog = 'edit' | 'rotate' | 'delete' | null

/** The head of a webhook's page: its address, how it does, and what an owner can do with it. */
function WebhookHeading({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<WebhookDialog>(null)
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

function WebhookActions({ webhook, onOpen }: { webhook: Webhook; onOpen: (open: WebhookDialog) => void }) {
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
          onClick={() =>
            test.mutate(undefined, withToast('send it', 'Sending a test. The log shows the answer.'))
          }
          icon={Send}
        />
      )}
      <Button label="Edit" onClick={() => onOpen('edit')} icon={Pencil} />
      <Button label="New secret" onClick={() => onOpen('rotate')} icon={RefreshCw} />
      <Button
        label={is_active ? 'Disable' : 'Enable'}
        icon={is_active ? Pause : Play}
        busy={update.isPending}
        onClick={() => update.mutate({ is_active: !is_active }, { onError: failing('change the webhook') })}
      />
      <Button label="Delete" onClick={() => onOpen('delete')} icon={Trash2} />
    </>
  )
}
