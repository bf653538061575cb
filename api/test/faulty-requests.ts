import { unavailable } from '../src/domain/base/errors.ts'
import type { RequestStore } from '../src/domain/requests/request-store.ts'

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

/** A request store whose writes fail as `faults` says. It works for every implementation. */
export function faulty(store: RequestStore, faults: Faults): RequestStore {
  return {
    insert: (stored, box, nowMs) => faults.around(() => store.insert(stored, box, nowMs)),
    change: (id, nowMs, step) => faults.around(() => store.change(id, nowMs, step)),
    read: (id, nowMs) => store.read(id, nowMs),
    box: (id, nowMs) => store.box(id, nowMs),
    ofDevice: (deviceKey, nowMs) => store.ofDevice(deviceKey, nowMs),
    ofApprover: (userId, nowMs) => store.ofApprover(userId, nowMs),
    waitingIn: (tenantId, nowMs) => store.waitingIn(tenantId, nowMs),
    live: (nowMs) => store.live(nowMs),
    watch: (id, listener) => store.watch(id, listener),
    ping: () => store.ping(),
    close: () => store.close(),
  }
}
