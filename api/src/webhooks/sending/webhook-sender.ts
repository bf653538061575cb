import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ClockAndIds } from '../../domain/base/clock-and-ids.ts'
import {
  type CallOutcome,
  type DueWebhook,
  hasRoom,
  type Lease,
  settlementOf,
  type WebhookOutbox,
  type WebhookPlace,
  wantedBeside,
} from '../domain/webhook-outbox.ts'
import type { WebhookCall } from './webhook-call.ts'

const LOOK_EVERY_MS = 500
/** Longer than a call may take, so that a claim ends only when its node ended. */
const LEASE_MS = 30_000
/** Between two messages to one receiver. */
const PACE_MS = 100
/** How long calls may go on while the server ends. */
const END_MS = 1_500

export type SenderParts = {
  outbox: WebhookOutbox
  call: (call: WebhookCall) => Promise<CallOutcome>
  /** Notes which runs of the work fail. */
  watched: (work: () => Promise<void>) => () => Promise<void>
  clock: ClockAndIds
  log: Pick<Logger, 'warn' | 'error'>
  /** From 0 to 1. */
  random?: () => number
}

/** Sends the messages of webhooks in the background. */
export class WebhookSender {
  readonly #parts: SenderParts
  /** What this node sends to, by the webhook's id. */
  readonly #running = new Map<string, { webhook: DueWebhook; run: Promise<void> }>()
  readonly #looks: NodeJS.Timeout
  readonly #ending = new AbortController()
  readonly #lookNext: () => Promise<void>
  #look: Promise<void> | null = null
  #looksAgain = false
  #isClosed = false

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#lookNext = parts.watched(() => this.#lookOnce())
    this.#looks = setInterval(() => this.#startLook(), LOOK_EVERY_MS).unref()
  }

  /** Lets running calls end for a moment, then ends them: another node, or the next start, sends their messages. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looks)
    const timer = setTimeout(() => this.#ending.abort(), END_MS)
    await this.#look
    await Promise.all([...this.#running.values()].map(({ run }) => run))
    clearTimeout(timer)
  }

  #startLook(): void {
    if (this.#isClosed) return
    if (this.#look) {
      this.#looksAgain = true
      return
    }
    this.#looksAgain = false
    const look = this.#lookNext().catch((error: unknown) => this.#note(error, 'webhooks not read'))
    this.#look = look.finally(() => {
      this.#look = null
      if (this.#looksAgain) this.#startLook()
    })
  }

  async #lookOnce(): Promise<void> {
    const { outbox, clock } = this.#parts
    const wanted = wantedBeside(this.#called)
    if (wanted === null) return
    for (const due of await outbox.due(clock.now().toISOString(), wanted))
      if (!this.#isClosed && hasRoom(this.#called, due)) this.#start(due)
  }

  get #called(): DueWebhook[] {
    return [...this.#running.values()].map(({ webhook }) => webhook)
  }

  #start(webhook: DueWebhook): void {
    const run = this.#send(webhook).then(
      () => this.#ended(webhook),
      (error: unknown) => {
        this.#running.delete(webhook.id)
        this.#note(error, 'webhook not sent')
      },
    )
    this.#running.set(webhook.id, { webhook, run })
  }

  // Others may have waited for the room.
  #ended({ id }: WebhookPlace): void {
    this.#running.delete(id)
    this.#startLook()
  }

  async #send(place: WebhookPlace): Promise<void> {
    const { outbox, clock } = this.#parts
    const claim = clock.newId()
    if (!(await outbox.claim(place, this.#lease(claim)))) return
    try {
      while (!this.#isClosed && (await this.#sendNext(place, claim))) await sleep(PACE_MS)
    } finally {
      await outbox.release(place, claim)
    }
  }

  /** @returns whether more can be sent now */
  async #sendNext(place: WebhookPlace, claim: string): Promise<boolean> {
    const { outbox, call, clock, random = Math.random } = this.#parts
    const message = await outbox.next(place, this.#lease(claim))
    if (!message) return false
    const outcome = await call({ message, signal: this.#ending.signal })
    // The call was ended, and is no failure of the receiver.
    if (this.#ending.signal.aborted && outcome.word !== null) return false
    const now = clock.now()
    const settlement = settlementOf({ message, outcome, now, random: random() })
    const settled = { claim, messageId: message.id, outcome, settlement, now: now.toISOString() }
    await outbox.settle(place, settled)
    return settlement.state === 'done'
  }

  #lease(claim: string): Lease {
    const now = this.#parts.clock.now()
    return { claim, now: now.toISOString(), until: new Date(now.getTime() + LEASE_MS).toISOString() }
  }

  #note(error: unknown, what: string): void {
    this.#parts.log.warn({ error: error instanceof Error ? error.message : 'unknown' }, what)
  }
}
