import { RotateCw } from 'lucide-react'
import type { Webhook, WebhookMessage, WebhookMessageState } from '../../lib/calls/answers.ts'
import { WEBHOOKS } from '../../lib/calls/refreshes.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { useChange } from '../../lib/calls/use-change.ts'
import { ago, ahead, dateTime } from '../../lib/words/time.ts'
import { callWords, MESSAGE_STATES } from '../../lib/words/webhook-words.ts'
import { Badge } from '../../ui/badge.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { telling } from '../../ui/notify-failure.ts'

const TONES: Readonly<Record<WebhookMessageState, 'plain' | 'good' | 'danger'>> = {
  waiting: 'plain',
  sending: 'plain',
  done: 'good',
  failed: 'danger',
}

type MessageRowProps = { webhook: Webhook; message: WebhookMessage }

/** One message; its body opens below it. */
export function MessageRow({ webhook, message }: MessageRowProps) {
  const { id, type, state, body, created_at } = message
  return (
    <li className="py-2 pr-2 pl-4">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
            <span className="font-mono">{type}</span>
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
  const nowMs = serverNowMs()
  const { created_at, next_at, state } = message
  const next = state === 'waiting' && next_at !== null ? `next call ${ahead(next_at, nowMs)}` : ''
  return [ago(created_at, nowMs), callWords(message), next].filter((text) => text !== '').join(' · ')
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
  const given = { webhook_id: webhookId, message_id: message.id }
  const resend = useChange('resendWebhookMessage', given, { refreshes: WEBHOOKS })
  return (
    <IconButton
      label={`Send ${message.type} again`}
      disabled={resend.isPending}
      onClick={() => resend.mutate(undefined, telling('Sending the message again, with the same id.'))}
    >
      <RotateCw aria-hidden size={16} />
    </IconButton>
  )
}
