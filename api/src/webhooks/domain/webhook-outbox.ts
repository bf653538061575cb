import { WEBHOOK_TIMES, type Webhook as WebhookSchema } from '@keyferry/contract/webhooks'
import type { z } from 'zod'

type WebhookEnd = NonNullable<z.output<typeof WebhookSchema>['ended_reason']>

/*
 * How messages get to a receiver. Failures pace the webhook, not the message: until the next try nothing is sent to it,
 * and then the oldest message first.
 */

/** What a call needs to know of a webhook. */
type ReceiverFacts = {
  url: string
  /** The current secret, and the one before while it still signs. */
  secrets: readonly string[]
  failures: number
  failingSince: string | null
}

/** A message with where it goes. `url` and `secrets` are those of now: an owner may have changed them. */
export type OutgoingMessage = ReceiverFacts & { id: string; body: string; giveUpAt: string }

/** What became of one call. `word`: why it failed; null: it did not. */
export type CallOutcome = {
  status: number | null
  word: string | null
  ms: number
  /** Seconds that the receiver asked to wait. */
  retryAfter: number | null
}

/** What follows from an outcome. `retryAt`: of a failure. `end`: turn the webhook off. */
type Settlement = { state: 'done' } | { state: 'waiting' | 'failed'; retryAt: string; end: WebhookEnd | null }

export type WebhookPlace = { tenantId: string; id: string }

/** `createdBy`: the person. `isSlow`: its last call was. */
export type DueWebhook = WebhookPlace & { createdBy: string; isSlow: boolean }

/** At most so many, and none of what has no room. */
export type WantedWebhooks = {
  most: number
  busyTenants: readonly string[]
  busyPeople: readonly string[]
  withSlow: boolean
}

/** Receivers that one node calls at a time: in all, slow ones, those of one workspace, and those of one person. A
 * receiver takes its place until it answers, so slow ones would keep the messages of everybody else. A person can have
 * many workspaces, therefore people are bounded too. */
const ROOM = { all: 100, slow: 50, tenant: 10, person: 20 } as const

/** What a node can call beside the receivers that it is calling; null: nothing. */
export function wantedBeside(running: readonly DueWebhook[]): WantedWebhooks | null {
  if (running.length >= ROOM.all) return null
  return {
    most: ROOM.all - running.length,
    busyTenants: full(running, ROOM.tenant, ({ tenantId }) => tenantId),
    busyPeople: full(running, ROOM.person, ({ createdBy }) => createdBy),
    withSlow: running.filter(({ isSlow }) => isSlow).length < ROOM.slow,
  }
}

/** Whether a webhook has room beside those that run. */
export function hasRoom(running: readonly DueWebhook[], due: DueWebhook): boolean {
  const wanted = wantedBeside(running)
  if (wanted === null || running.some(({ id }) => id === due.id)) return false
  const isBusy = wanted.busyTenants.includes(due.tenantId) || wanted.busyPeople.includes(due.createdBy)
  return !isBusy && (wanted.withSlow || !due.isSlow)
}

function full(running: readonly DueWebhook[], most: number, whose: (webhook: DueWebhook) => string) {
  const counts = Map.groupBy(running, whose)
  return [...counts].filter(([, webhooks]) => webhooks.length >= most).map(([id]) => id)
}

const SLOW_MS = 1_000

/** Whether the next call to the same receiver may take long. */
export function wasSlow({ word, ms }: CallOutcome): boolean {
  return word !== null || ms >= SLOW_MS
}

/** Seconds from each failure in a row to the next try; then daily. */
const SCHEDULE = [5, 5 * 60, 30 * 60, 2 * 60 * 60, 5 * 60 * 60, 10 * 60 * 60]
const DAY = 24 * 60 * 60

/** How much of a delay is random, so that receivers that fail together are not tried together. */
const JITTER = 0.2

type CallResult = {
  message: Pick<OutgoingMessage, 'giveUpAt' | 'failures' | 'failingSince'>
  outcome: CallOutcome
  now: Date
  /** From 0 to 1. */
  random: number
}

/** What follows from the outcome of a call. */
export function settlementOf({ message, outcome, now, random }: CallResult): Settlement {
  if (outcome.word === null) return { state: 'done' }
  const isGone = outcome.status === 410
  const failingSince = message.failingSince === null ? now.getTime() : Date.parse(message.failingSince)
  const isFailing = now.getTime() - failingSince >= WEBHOOK_TIMES.triedSeconds * 1_000
  const isOver = isGone || message.giveUpAt <= now.toISOString()
  return {
    state: isOver ? 'failed' : 'waiting',
    retryAt: new Date(now.getTime() + delaySeconds(message.failures, outcome, random) * 1_000).toISOString(),
    end: isGone ? 'gone' : isFailing ? 'failing' : null,
  }
}

function delaySeconds(failures: number, { retryAfter }: CallOutcome, random: number): number {
  const planned = (SCHEDULE[failures] ?? DAY) * (1 + JITTER * (2 * random - 1))
  return Math.max(planned, Math.min(retryAfter ?? 0, DAY))
}
