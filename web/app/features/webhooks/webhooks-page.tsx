import { useState } from 'react'
import { Link } from 'wouter'
import type { Webhook } from '../../lib/webhooks/answers.ts'
import { useWebhooks } from '../../lib/webhooks/answers.ts'
import { bundlesText, eventsText, webhookState } from '../../lib/webhooks/webhook-words.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Plus } from '../../ui/icons.ts'
import { LoadingState, OutdatedNotice } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { OwnersOnly } from '../../ui/page-note.tsx'
import { Rows } from '../../ui/section.tsx'
import { NewWebhookDialog } from './webhook-dialogs.tsx'

/** The servers that the workspace calls when something changes. */
export function WebhooksPage() {
  const [isAdding, setAdding] = useState(false)
  return (
    <OwnersOnly operation="listWebhooks" title="Webhooks" what="its webhooks">
      <PageHeading
        title="Webhooks"
        intro="Keyferry calls your servers when something changes. Messages have names and versions, never values."
        actions={
          <Button look="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden size={17} /> New webhook
          </Button>
        }
      />
      <Webhooks onAdd={() => setAdding(true)} />
      {isAdding && <NewWebhookDialog onClose={() => setAdding(false)} />}
    </OwnersOnly>
  )
}

function Webhooks({ onAdd }: { onAdd: () => void }) {
  const webhooks = useWebhooks()
  if (webhooks.data === undefined) return <LoadingState query={webhooks} what="the webhooks" />
  return (
    <>
      <OutdatedNotice query={webhooks} />
      {webhooks.data.length === 0 ? (
        <EmptyState title="No webhooks yet">
          <p>
            For example, restart a service when a value changes, or post refused machines to a channel. Each
            call is signed, so the receiver can verify that it comes from this server.
          </p>
          <Button label="Create the first webhook" onClick={onAdd} />
        </EmptyState>
      ) : (
        <Rows label="Webhooks">
          {webhooks.data.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </Rows>
      )}
    </>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, waiting } = webhook
  const { tone, name } = webhookState(webhook)
  const facts = [
    visibleText(description, 120),
    eventsText(webhook),
    bundlesText(webhook),
    waiting === 0 ? '' : `${waiting} waiting`,
  ]
  return (
    <li>
      <Link
        href={`/settings/webhooks/${id}`}
        className="flex min-h-13 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-sunken/60"
      >
        <span className="min-w-0 flex-1">
          <bdi className="block font-mono text-sm font-medium [overflow-wrap:anywhere]">
            {visibleText(url, 120)}
          </bdi>
          <span className="block truncate text-xs text-ink-soft">
            {facts.filter((fact) => fact !== '').join(' · ')}
          </span>
        </span>
        <Badge tone={tone}>{name}</Badge>
      </Link>
    </li>
  )
}
