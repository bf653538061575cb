import { useState } from 'react'
import { Link } from 'wouter'
import type { Webhook } from '../../lib/webhooks/answers.ts'
import { useWebhooks } from '../../lib/webhooks/answers.ts'
import { bundlesText, eventsText, webhookState } from '../../lib/webhooks/webhook-words.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Plus } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Rows, Section } from '../../ui/section.tsx'
import { NewWebhookDialog } from './webhook-dialogs.tsx'

/** The servers that the workspace calls when something changes. */
export function WebhookList() {
  const [isAdding, setAdding] = useState(false)
  const webhooks = useWebhooks()
  return (
    <Section
      title="Webhooks"
      headingClass="mb-1"
      intro="Keyferry calls your servers when something changes. Messages have names and versions, never values."
      action={<Button label="New webhook" size="small" icon={Plus} onClick={() => setAdding(true)} />}
    >
      <Loaded query={webhooks} what="the webhooks">
        {(data) => (
          <Rows label="Webhooks" none="None yet.">
            {data.map((webhook) => (
              <WebhookRow key={webhook.id} webhook={webhook} />
            ))}
          </Rows>
        )}
      </Loaded>
      {isAdding && <NewWebhookDialog onClose={() => setAdding(false)} />}
    </Section>
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
