import { useState } from 'react'
import type { Webhook } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { counted } from '../../lib/words/counted.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { bundlesText, eventsText, webhookState } from '../../lib/words/webhook-words.ts'
import { Facts } from '../../ui/activity/facts.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { NotFound, OwnersOnly } from '../../ui/page-note.tsx'
import { MessageLog } from './message-log.tsx'
import { WebhookHeading } from './webhook-heading.tsx'

const REFETCH_MS = 5_000
/** While a call is on its way. */
const SENDING_MS = 1_000

/** One webhook: how its calls do, what it is called for, and its messages. */
export function WebhookPage({ id }: { id: string }) {
  return (
    <OwnersOnly title="Webhooks" what="its webhooks">
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
      missing={<NotFound what="Webhook" href="/settings/webhooks" list="webhooks" />}
      follows
    >
      {(data) => (
        <>
          <WebhookHeading webhook={data} />
          <OutdatedNotice query={webhook} />
          <State webhook={data} />
          <WebhookFacts webhook={data} />
          <Receiver />
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
    <Notice tone={tone} className="mb-4 max-w-2xl">
      {text}
    </Notice>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { events, bundle_ids, last_delivered_at, old_secret_until, waiting } = webhook
  const bundles = useAnswer('listBundles', {}).data ?? []
  const names = bundle_ids.map((id) => bundles.find((bundle) => bundle.id === id)?.name ?? 'a deleted bundle')
  const facts: [string, string][] = [
    ['Events', events.length === 0 ? eventsText(webhook) : events.join(', ')],
    ['Bundles', names.length === 0 ? bundlesText(webhook) : names.join(', ')],
    ['Delivered', last_delivered_at === null ? 'never' : `last ${ago(last_delivered_at)}`],
    ['Waiting', waiting === 0 ? '' : counted(waiting, 'message')],
    ['Old secret', old_secret_until === null ? '' : `signs too until ${dateTime(old_secret_until)}`],
  ]
  return (
    <div className="mb-4 max-w-2xl rounded-lg border border-line bg-surface p-4">
      <Facts facts={facts.filter(([, text]) => text !== '')} />
    </div>
  )
}

const ReceiverCode = deferred('ReceiverCode', () => import('./receiver-code.tsx'))

/** Shows the code of a receiver when it is asked for. */
function Receiver() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mb-8 max-w-3xl" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="min-h-8 py-1 text-sm font-medium">Code for the receiver</summary>
      <div className="mt-2">{isOpen && <ReceiverCode />}</div>
    </details>
  )
}
