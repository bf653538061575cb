const SHORTEST_REST_MS = 1_000
// Counting takes at most 1/50 of the time, however many requests there are and however many calls are refused.
const REST = 50

type LiveCount = { live: number; bytes: number }

export type RequestBoundOptions = {
  maxLive: number
  maxBytes: number
  count: (nowMs: number) => Promise<LiveCount>
}

/** How many live requests the database has, and how many bytes of payloads, as this process knows it: the rows are
 * counted from time to time, and in between only what this process adds and removes is counted. So several processes
 * together may pass the bound by what they add in a second. */
export class RequestBound {
  readonly #options: RequestBoundOptions
  #known: LiveCount = { live: 0, bytes: 0 }
  /** What is being added now, which a count may not see yet. */
  #adding: LiveCount = { live: 0, bytes: 0 }
  #countedAtMs = Number.NEGATIVE_INFINITY
  #restMs = 0
  #counting: Promise<void> | null = null

  constructor(options: RequestBoundOptions) {
    this.#options = options
  }

  /** Add a row with `bytes` of payload, if there is room.
   * @returns null where there is none */
  async adding<T>(bytes: number, nowMs: number, add: () => Promise<T>): Promise<T | null> {
    if (nowMs - this.#countedAtMs >= this.#restMs) {
      this.#counting ??= this.#count(nowMs)
      await this.#counting
    }
    const { maxLive, maxBytes } = this.#options
    if (this.#known.live >= maxLive || (bytes > 0 && this.#known.bytes + bytes > maxBytes)) return null
    move(this.#known, 1, bytes)
    move(this.#adding, 1, bytes)
    try {
      return await add()
    } catch (error) {
      move(this.#known, -1, -bytes)
      throw error
    } finally {
      move(this.#adding, -1, -bytes)
    }
  }

  /** Rows or bytes that this process added or removed. */
  note(live: number, bytes: number): void {
    move(this.#known, live, bytes)
  }

  async #count(nowMs: number): Promise<void> {
    const startedAt = performance.now()
    try {
      const { live, bytes } = await this.#options.count(nowMs)
      this.#known = { live: live + this.#adding.live, bytes: bytes + this.#adding.bytes }
    } finally {
      this.#restMs = Math.max(SHORTEST_REST_MS, REST * (performance.now() - startedAt))
      this.#countedAtMs = nowMs
      this.#counting = null
    }
  }
}

function move(counted: LiveCount, live: number, bytes: number): void {
  counted.live += live
  counted.bytes += bytes
}
