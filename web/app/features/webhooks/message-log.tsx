import { useState } from 'react'
import type { Webhook, WebhookMessage, WebhookMessageState } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { MESSAGE_STATES } from '../../lib/words/webhook-words.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { MessageRow } from './message-row.tsx'

/** Messages of one page of the log. */
const MESSAGES = 50
const REFETCH_MS = 5_000
/** While a call is on its way. */
const SENDING_MS = 1_000

const CHOICES = { all: 'All messages', ...MESSAGE_STATES }
const STATES = ['waiting', 'sending', 'done', 'failed'] as const

/** The latest messages of a webhook: how each call went, what was sent, and a way to send it again. */
export function MessageLog({ webhook }: { webhook: Webhook }) {
  const [state, setState] = useState<WebhookMessageState | null>(null)
  const messages = useAnswer(
    'listWebhookMessages',
    { webhook_id: webhook.id, limit: MESSAGES, ...(state === null ? {} : { state }) },
    {
      refetchInterval: (query) => (query.state.data?.some(isOnItsWay) === true ? SENDING_MS : REFETCH_MS),
    },
  )
  return (
    <section aria-labelledby="messages">
      <div className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h2 id="messages" className="text-sm font-semibold">
            Messages
          </h2>
          <p className="text-sm text-ink-soft">Of the last 30 days, the latest {MESSAGES}.</p>
        </div>
        <SelectField
          label="Show"
          value={state ?? 'all'}
          options={CHOICES}
          onChange={(text) => setState(STATES.find((each) => each === text) ?? null)}
        />
      </div>
      {messages.data === undefined ? (
        <LoadingState query={messages} what="the messages" />
      ) : messages.data.length === 0 ? (
        <p className="py-4 text-ink-soft">
          {state === null ? 'No messages yet. Send a test to see one.' : 'No message is in this state.'}
        </p>
      ) : (
        <ul aria-label="Messages" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {messages.data.map((message) => (
            <MessageRow key={message.id} webhook={webhook} message={message} />
          ))}
        </ul>
      )}
    </section>
  )
}

function isOnItsWay({ state, attempts }: WebhookMessage): boolean {
  return state === 'sending' || (state === 'waiting' && attempts === 0)
}
