import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ClockAndIds } from '../domain/base/clock-and-ids.ts'
import type { Lease, Outbox, ReceiverPlace } from '../domain/base/outbox.ts'

const LOOK_EVERY_MS = 500
/** Between two messages to one receiver. */
const PACE_MS = 100
/** How long calls may go on while the server ends. */
const END_MS = 1_500

export type OutboxParts<Place extends ReceiverPlace, Message, Outcome> = {
  /** What the log calls the receivers. */
  name: string
  outbox: Outbox<Place, Message, Outcome>
  /** Whether a receiver has room beside those that this node sends to. */
  hasRoom: (running: readonly Place[], due: Place) => boolean
  /** Sends one message; null: the call was ended early, and is no failure of the receiver. */
  call: (message: Message, signal: AbortSignal) => Promise<Outcome | null>
  /** Longer than a call may take, so that a claim ends only when its node ended. */
  leaseMs: number
  /** Notes which runs of the work fail. */
  watched: (work: () => Promise<void>) => () => Promise<void>
  clock: ClockAndIds
  log: Pick<Logger, 'warn' | 'error'>
}

/** Sends messages in the background. */
export class OutboxSender<Place extends ReceiverPlace, Message, Outcome> {
  readonly #parts: OutboxParts<Place, Message, Outcome>
  /** What this node sends to, by the receiver's id. */
  readonly #running = new Map<string, { place: Place; run: Promise<void> }>()
  readonly #looks: NodeJS.Timeout
  readonly #ending = new AbortController()
  readonly #lookNext: () => Promise<void>
  #look: Promise<void> | null = null
  #looksAgain = false
  #isClosed = false

  constructor(parts: OutboxParts<Place, Message, Outcome>) {
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
    const look = this.#lookNext().catch((error: unknown) => this.#note(error, 'not read'))
    this.#look = look.finally(() => {
      this.#look = null
      if (this.#looksAgain) this.#startLook()
    })
  }

  async #lookOnce(): Promise<void> {
    const { outbox, clock, hasRoom } = this.#parts
    for (const due of await outbox.due(clock.now().toISOString(), this.#called))
      if (!this.#isClosed && hasRoom(this.#called, due)) this.#start(due)
  }

  get #called(): Place[] {
    return [...this.#running.values()].map(({ place }) => place)
  }

  #start(place: Place): void {
    const run = this.#send(place).then(
      () => this.#ended(place),
      (error: unknown) => {
        this.#running.delete(place.id)
        this.#note(error, 'not sent')
      },
    )
    this.#running.set(place.id, { place, run })
  }

  // Others may have waited for the room.
  #ended({ id }: ReceiverPlace): void {
    this.#running.delete(id)
    this.#startLook()
  }

  async #send(place: Place): Promise<void> {
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
  async #sendNext(place: Place, claim: string): Promise<boolean> {
    const { outbox, call, clock } = this.#parts
    const message = await outbox.next(place, this.#lease(claim))
    if (!message) return false
    const outcome = await call(message, this.#ending.signal)
    return outcome !== null && (await outbox.settle(place, { claim, message, outcome, now: clock.now() }))
  }

  #lease(claim: string): Lease {
    const now = this.#parts.clock.now()
    return {
      claim,
      now: now.toISOString(),
      until: new Date(now.getTime() + this.#parts.leaseMs).toISOString(),
    }
  }

  #note(error: unknown, what: string): void {
    const { log, name } = this.#parts
    log.warn({ error: error instanceof Error ? error.message : 'unknown' }, `${name} ${what}`)
  }
}
