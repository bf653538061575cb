/** Calls `listener` at each change of what has this id, and sometimes without one. */
export type Watchable = { watch(id: string, listener: () => void): () => void }

/** Keeps the held callers. Each is woken when what it waits for changes, when its time ends, when its connection ends,
 * or when the process stops. Nothing polls. */
export class WaitingRoom {
  readonly #watched: Watchable
  readonly #holds = new Set<Hold>()
  #isClosed = false

  constructor(watched: Watchable) {
    this.#watched = watched
  }

  /** Listens at once: a change from now on ends the next `changed()`, even if it comes before that call. */
  hold(id: string, ms: number): Hold {
    const hold = new Hold(ms, this.#holds)
    hold.listen(this.#watched, id)
    if (this.#isClosed) hold.finish()
    return hold
  }

  /** How many callers are held. */
  get size(): number {
    return this.#holds.size
  }

  /** Finishes every hold, present and future. */
  close(): void {
    this.#isClosed = true
    for (const hold of this.#holds) hold.finish()
  }
}

/** One held caller. There may be tens of thousands, so each is one object and one timer. */
export class Hold {
  #hasChanged = false
  #isOver = false
  #wake: (() => void) | null = null
  #unwatch: (() => void) | null = null
  readonly #timer: NodeJS.Timeout
  readonly #holds: Set<Hold>

  constructor(ms: number, holds: Set<Hold>) {
    this.#timer = setTimeout(finish, ms, this)
    this.#holds = holds.add(this)
  }

  /** No more changes: the time is over, the connection broke, or the process stops. */
  get isOver(): boolean {
    return this.#isOver
  }

  listen(watched: Watchable, id: string): void {
    this.#unwatch = watched.watch(id, () => this.#change())
  }

  /** Resolves at the next change or the end; at once if one came since the last call. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#hasChanged || this.#isOver) resolve()
    else this.#wake = resolve
    this.#hasChanged = false
    return promise
  }

  finish(): void {
    this.#isOver = true
    this.#change()
  }

  /** Stops listening. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#unwatch?.()
    this.#holds.delete(this)
  }

  #change(): void {
    if (this.#wake === null) this.#hasChanged = true
    else this.#wake()
    this.#wake = null
  }
}

function finish(hold: Hold): void {
  hold.finish()
}
