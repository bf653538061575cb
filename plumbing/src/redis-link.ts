import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, type RedisClient } from './redis-place.ts'
import { timeLimit } from './time-limits.ts'

const REPLY_MS = 3_000
const PAUSE_AT_MOST_MS = 1_000

export type LinkOptions = {
  /** Asked before each connection. */
  locate: () => Promise<string>
  /** Gets each lost connection, and each new reason why there is none. */
  onError: (error: Error) => void
  /** Called when a lost connection is there again. */
  onReady: () => void
}

/** A connection that, each time it is lost, asks again where to connect. The library's own client of sentinels sends a
 * command again whose reply it missed, and leaves clients of a dead master behind. */
export class RedisLink {
  readonly #options: LinkOptions
  readonly #channels = new Map<string, (text: string) => void>()
  #client: RedisClient | null = null
  #isClosed = false
  readonly #errors: Reasons

  constructor(options: LinkOptions) {
    this.#options = options
    this.#errors = new Reasons(options.onError)
  }

  /** `null` while there is no connection. */
  get client(): RedisClient | null {
    return this.#client
  }

  /** @param attempts before it throws */
  async open(attempts = 1): Promise<this> {
    for (let left = attempts; ; left--) {
      try {
        await this.#connect()
        return this
      } catch (error) {
        if (left <= 1) throw error
      }
    }
  }

  async subscribe(channel: string, listener: (text: string) => void): Promise<void> {
    this.#channels.set(channel, listener)
    await this.#client?.subscribe(channel, listener)
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#channels.delete(channel)
    await this.#client?.unsubscribe(channel)
  }

  /** Connect anew, because this server takes no writes any more. */
  leave(): void {
    if (this.#client) this.#lost(this.#client, new Error('the server takes no writes'))
  }

  close(): void {
    this.#isClosed = true
    this.#drop(this.#client)
  }

  async #connect(): Promise<void> {
    const client = clientOf(await this.#options.locate())
    client.on('error', (error: Error) => this.#lost(client, error))
    try {
      await withinTime(client.connect())
      await Promise.all([...this.#channels].map((channel) => client.subscribe(...channel)))
    } catch (error) {
      this.#drop(client)
      throw error
    }
    if (this.#isClosed) return this.#drop(client)
    this.#client = client
    this.#errors.clear()
  }

  #lost(client: RedisClient, error: Error): void {
    if (client !== this.#client) return
    this.#drop(client)
    this.#errors.say(error)
    void this.#connectAgain()
  }

  async #connectAgain(): Promise<void> {
    for (let retries = 0; !this.#isClosed; retries++) {
      await sleep(pauseMs(retries), null, { ref: false })
      try {
        await this.#connect()
        return this.#options.onReady()
      } catch (error) {
        if (!this.#isClosed) this.#errors.say(error)
      }
    }
  }

  #drop(client: RedisClient | null): void {
    if (client === this.#client) this.#client = null
    if (client?.isOpen) client.destroy()
  }
}

export function pauseMs(retries: number): number {
  return Math.min(20 * 2 ** retries, PAUSE_AT_MOST_MS)
}

/** An outage is one line in the log for each reason. */
export class Reasons {
  readonly #onError: (error: Error) => void
  readonly #said = new Set<string>()

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  say(error: unknown): void {
    const reason = error instanceof Error ? error : new Error('no connection')
    if (this.#said.has(reason.message)) return
    this.#said.add(reason.message)
    this.#onError(reason)
  }

  clear(): void {
    this.#said.clear()
  }
}

export class NoReply extends Error {
  override readonly name = 'NoReply'
}

/** @throws NoReply: Redis took longer than anybody waits for it */
export function withinTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const limitMs = timeLimit(REPLY_MS)
  const timer = setTimeout(() => reject(new NoReply(`no reply within ${limitMs} ms`)), limitMs)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
