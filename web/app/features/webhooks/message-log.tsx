import { spanText } from '@keyferry/contract/limits'
import { WEBHOOK_TIMES } from '@keyferry/contract/webhooks/limits'
import { useState } from 'react'
import { useAnswer, useChange } from '../../lib/calls/use-call.ts'
import type { Webhook, WebhookMessage, WebhookMessageState } from '../../lib/webhooks/answers.ts'
import { callWords, MESSAGE_STATES } from '../../lib/webhooks/webhook-words.ts'
import { ago, ahead, dateTime } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { RotateCw } from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Rows } from '../../ui/section.tsx'
import { SelectField } from '../../ui/select.tsx'
import { withToast } from '../../ui/toast-store.ts'

/** Messages of one page of the log. */
const MESSAGES = 20
const REFETCH_MS = 5_000
/** While a call is on its way. */
const SENDING_MS = 1_000

const CHOICES = { all: 'All messages', ...MESSAGE_STATES }

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
          <p className="text-sm text-ink-soft">
            Of the last {spanText(WEBHOOK_TIMES.logSeconds)}, the latest {MESSAGES}.
          </p>
        </div>
        <SelectField
          label="Show"
          value={state ?? 'all'}
          options={CHOICES}
          onChange={(chosen) => setState(chosen === 'all' ? null : chosen)}
        />
      </div>
      {messages.data === undefined ? (
        <LoadingState query={messages} what="the messages" />
      ) : messages.data.length === 0 ? (
        <p className="py-4 text-ink-soft">
          {state === null ? 'No messages yet. Send a test to see one.' : 'No message is in this state.'}
        </p>
      ) : (
        <Rows label="Messages">
          {messages.data.map((message) => (
            <MessageRow key={message.id} webhook={webhook} message={message} />
          ))}
        </Rows>
      )}
    </section>
  )
}

function isOnItsWay({ state, attempts }: WebhookMessage): boolean {
  return state === 'sending' || (state === 'waiting' && attempts === 0)
}

const TONES: Readonly<Record<WebhookMessageState, 'plain' | 'good' | 'caution'>> = {
  waiting: 'plain',
  sending: 'plain',
  done: 'good',
  failed: 'caution',
}

/** One message; its body opens below it. */
function MessageRow({ webhook, message }: { webhook: Webhook; message: WebhookMessage }) {
  const { id, type, state, body, created_at } = message
  return (
    <li className="py-2 pr-2 pl-4">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span translate="no" className="font-mono">
              {type}
            </span>
            <Badge tone={TONES[state]}>{MESSAGE_STATES[state]}</Badge>
          </p>
          <p className="text-xs text-ink-soft" title={dateTime(created_at)}>
            {factsOf(message)}
          </p>
        </div>
        {webhook.is_active && state !== 'sending' && <Resend webhookId={webhook.id} message={message} />}
      </div>
      <details>
        <summary className="min-h-7 py-0.5 text-xs text-ink-soft">What was sent</summary>
        <CodeBlock text={`webhook-id: ${id}\n\n${readable(body)}`} what={`the body of ${id}`} copied={body} />
      </details>
    </li>
  )
}

function factsOf(message: WebhookMessage): string {
  const { created_at, next_at, state } = message
  const next = state === 'waiting' && next_at !== null ? `next call ${ahead(next_at)}` : ''
  return [ago(created_at), callWords(message), next].filter((text) => text !== '').join(' · ')
}

// The exact text is on one line; the copy has it as it is.
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function Resend({ webhookId, message }: { webhookId: string; message: WebhookMessage }) {
  const resend = useChange('resendWebhookMessage', { webhook_id: webhookId, message_id: message.id })
  return (
    <IconButton
      label={`Send ${message.type} again`}
      disabled={resend.isPending}
      onClick={() => resend.mutate(undefined, withToast('send it', 'Sending it again, with the same id.'))}
      icon={RotateCw}
    />
  )
}
