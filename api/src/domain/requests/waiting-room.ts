/** Calls `listener` at each change of what has this id, and sometimes without one. */
export type Watchable = { watch(id: string, listener: () => void): () => void }

/** Keeps the callers that wait. Each is woken when what it waits for changes, when its time ends, when its connection
 * ends, or when the process stops. Nothing polls. */
export class WaitingRoom {
  readonly #watched: Watchable
  readonly #calls = new Set<WaitingCall>()
  #isClosed = false

  constructor(watched: Watchable) {
    this.#watched = watched
  }

  /** Listens at once: a change from now on ends the next `changed()`, even if it comes before that call. */
  admit(id: string, ms: number): WaitingCall {
    const call = new WaitingCall(ms, this.#calls)
    call.listen(this.#watched, id)
    if (this.#isClosed) call.finish()
    return call
  }

  /** How many callers wait. */
  get size(): number {
    return this.#calls.size
  }

  /** Whether a caller is held for what has this id, on this node. */
  isHeld(id: string): boolean {
    return [...this.#calls].some((call) => call.id === id)
  }

  /** Finishes every call, present and future. */
  close(): void {
    this.#isClosed = true
    for (const call of this.#calls) call.finish()
  }
}

/** One caller that waits. There may be tens of thousands, so each is one object and one timer. */
export class WaitingCall {
  id = ''
  #hasChanged = false
  #isOver = false
  #wake: (() => void) | null = null
  #unwatch: (() => void) | null = null
  readonly #timer: NodeJS.Timeout
  readonly #calls: Set<WaitingCall>

  constructor(ms: number, calls: Set<WaitingCall>) {
    this.#timer = setTimeout(finish, ms, this)
    this.#calls = calls.add(this)
  }

  /** No more changes: the time is over, the connection broke, or the process stops. */
  get isOver(): boolean {
    return this.#isOver
  }

  listen(watched: Watchable, id: string): void {
    this.id = id
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
    this.#calls.delete(this)
  }

  #change(): void {
    if (this.#wake === null) this.#hasChanged = true
    else this.#wake()
    this.#wake = null
  }
}

function finish(call: WaitingCall): void {
  call.finish()
}
