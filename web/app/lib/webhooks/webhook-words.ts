import { spanText } from '@keyferry/contract/limits'
import { WEBHOOK_LIMITS, WEBHOOK_TIMES } from '@keyferry/contract/webhooks/limits'
import { ago, ahead } from '../words/time.ts'
import type { Webhook, WebhookEvent, WebhookMessage, WebhookMessageState } from './answers.ts'

const TRIED = spanText(WEBHOOK_TIMES.triedSeconds)

/** What each event is about. */
export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  'bundle.created': 'A bundle was created',
  'bundle.changed': 'The variables or values of a bundle changed',
  'bundle.deleted': 'A bundle was deleted',
  'key.changed': 'A variable has a new value',
  'key.deleted': 'A variable was deleted',
  'machine.refused': 'A call of a machine was refused',
  'token.expiring': 'A machine’s token expires soon',
  'token.ended': 'A machine’s token ended',
  'member.joined': 'A person joined the workspace',
  'member.removed': 'A person left or was removed',
  'approval.requested': 'A request waits for another person’s approval',
  'delivery.approved': 'A person approved a delivery',
  'delivery.denied': 'A person denied a request',
  'proposal.created': 'A person proposed values to the owners',
  'audit.checkpoint': 'Once a day: the signed note of the audit log',
  'webhook.disabled': 'The server turned another webhook off',
}

/** Every event that can be chosen. */
export const EVENTS = Object.keys(EVENT_WORDS) as WebhookEvent[]

export const MESSAGE_STATES: Readonly<Record<WebhookMessageState, string>> = {
  waiting: 'Waiting',
  sending: 'Sending',
  done: 'Delivered',
  failed: 'Failed',
}

export type WebhookState = {
  tone: 'good' | 'caution' | 'plain'
  name: string
  text: string | null
}

/** How a webhook does: in two words or fewer, and what to do about it. */
export function webhookState(webhook: Webhook, nowMs?: number): WebhookState {
  const { is_active, failing_since, failures, next_at, last_delivered_at } = webhook
  if (!is_active) return disabled(webhook)
  if (failing_since !== null) {
    const next = next_at === null ? '' : ` The next call follows ${ahead(next_at, nowMs)}.`
    const text = `The last ${failures === 1 ? 'call' : `${failures} calls`} failed, since ${ago(failing_since, nowMs)}.${next} After ${TRIED} of failures the server turns it off.`
    return { tone: 'caution', name: 'Failing', text }
  }
  return last_delivered_at === null
    ? { tone: 'plain', name: 'Never called', text: null }
    : { tone: 'good', name: 'Works', text: null }
}

const ENDS = {
  gone: 'The receiver answered 410, so the server turned it off and sends it nothing.',
  failing: `Calls failed for ${TRIED}, so the server turned it off. Fix the receiver, then enable the webhook.`,
} as const

function disabled({ ended_reason }: Webhook): WebhookState {
  if (ended_reason === null) return { tone: 'caution', name: 'Disabled', text: 'An owner turned it off.' }
  return { tone: 'caution', name: 'Turned off', text: ENDS[ended_reason] }
}

const ERRORS: Readonly<Record<string, string>> = {
  target_refused: 'the address is not allowed',
  dns: 'the host’s name was not found',
  tls: 'the certificate is not valid',
  refused: 'no connection',
  timeout: `no answer in ${spanText(WEBHOOK_TIMES.callSeconds)}`,
  dropped: `dropped, because more than ${WEBHOOK_LIMITS.messages.toLocaleString('en')} messages waited`,
  expired: `given up after ${TRIED}`,
  interrupted: 'the server stopped during the call',
}

type Calls = Pick<WebhookMessage, 'attempts' | 'last_status' | 'last_error' | 'last_ms'>

/** How the calls of a message went: `204 in 18 ms`, `2 calls, the last: no connection`. */
export function callWords({ attempts, last_status, last_error, last_ms }: Calls): string {
  if (attempts === 0 && last_error === null) return 'no call yet'
  const answer = last_status === null ? '' : `answered ${last_status}`
  const error = last_error === null || last_error === 'http' ? '' : (ERRORS[last_error] ?? last_error)
  const outcome = [answer, error].filter((text) => text !== '').join(', ')
  const took = last_ms === null ? '' : ` in ${last_ms} ms`
  return `${attempts > 1 ? `${attempts} calls, the last ` : ''}${outcome}${took}`
}

/** Which events a webhook is called for: `all events`, `3 events`. */
export function eventsText({ events }: Pick<Webhook, 'events'>): string {
  const [only] = events
  if (only === undefined) return 'all events'
  return events.length === 1 ? only : `${events.length} events`
}

/** Which bundles: `all bundles`, `2 bundles`. */
export function bundlesText({ bundle_ids }: Pick<Webhook, 'bundle_ids'>): string {
  if (bundle_ids.length === 0) return 'all bundles'
  return bundle_ids.length === 1 ? '1 bundle' : `${bundle_ids.length} bundles`
}
