import { unavailable } from '../src/domain/base/errors.ts'
import type { RequestStore } from '../src/domain/requests/request-store.ts'
import type { AroundRequests } from '../src/requesting.ts'

/** `before`: the call fails, and nothing happens. `after`: it takes effect, and its reply is lost. `none`: it works. */
type When = 'before' | 'after' | 'none'

/** Which of the next calls fail, for `faulty` stores. */
export class Faults {
  readonly #coming: When[] = []

  next(when: When, calls = 1): void {
    this.#coming.push(...Array.from({ length: calls }, () => when))
  }

  /** What happens to the call that asks. */
  take(): When {
    return this.#coming.shift() ?? 'none'
  }

  async around<T>(call: () => Promise<T>): Promise<T> {
    const when = this.take()
    if (when === 'before') throw unavailable('request store')
    const result = await call()
    if (when === 'after') throw unavailable('request store')
    return result
  }
}

/** Requests whose changes fail as `faults` says. */
export function faulty(faults: Faults): AroundRequests {
  return ({ requests, together }) => ({
    requests: {
      ...unwrapped(requests),
      insert: (stored, box, nowMs) => faults.around(() => requests.insert(stored, box, nowMs)),
      change: (id, nowMs, step) => faults.around(() => requests.change(id, nowMs, step)),
    },
    together: (work, options) => faults.around(() => together(work, options)),
  })
}

/** The same store as plain functions. */
export function unwrapped(store: RequestStore): RequestStore {
  return {
    insert: (stored, box, nowMs) => store.insert(stored, box, nowMs),
    change: (id, nowMs, step) => store.change(id, nowMs, step),
    read: (id, nowMs, by) => store.read(id, nowMs, by),
    isLost: (id, epoch) => store.isLost(id, epoch),
    box: (id, nowMs) => store.box(id, nowMs),
    ofDevice: (deviceKey, nowMs) => store.ofDevice(deviceKey, nowMs),
    waitingIn: (tenantId, nowMs) => store.waitingIn(tenantId, nowMs),
    watch: (id, listener) => store.watch(id, listener),
    ping: () => store.ping(),
  }
}
