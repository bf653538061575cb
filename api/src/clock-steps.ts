import { uptime } from 'node:os'

const DAY_MS = 24 * 60 * 60 * 1_000
const USUAL_REST_MS = 7 * DAY_MS

/** Notes when the clock jumps ahead by days while the server runs, or by more than a week while it did not. The time
 * since the machine started, which includes its sleep, says how much time really passed. */
export class ClockSteps {
  readonly #bootMs: () => number
  readonly #jumps: boolean
  #firstMs: number

  /** A clock that a test sets never jumps, unless the test says how long the machine is up. */
  constructor({ now, upSeconds }: { now?: () => Date; upSeconds?: () => number }) {
    const nowMs = () => (now?.() ?? new Date()).getTime()
    const upMs = upSeconds ? () => upSeconds() * 1_000 : now ? nowMs : () => uptime() * 1_000
    this.#bootMs = () => nowMs() - upMs()
    this.#firstMs = this.#bootMs()
    this.#jumps = upSeconds !== undefined || now === undefined
  }

  /** Compare the clock of the start with what was stored before.
   * @param newest the newest stored time, ISO; null: nothing is stored */
  compare(newest: string | null, now: Date): void {
    const restMs = newest === null ? 0 : now.getTime() - Date.parse(newest)
    if (this.#jumps && restMs > USUAL_REST_MS) this.#firstMs -= restMs
  }

  /** While it is true, nothing may be deleted because of its age. */
  isAhead = (): boolean => this.#days > 0

  get warnings(): string[] {
    if (!this.isAhead()) return []
    const text = `the clock jumped ${this.#days} days ahead, so the server deletes nothing because of its age`
    return [`${text}: set the clock right, or restart the server if the clock is right now`]
  }

  get #days(): number {
    return Math.floor((this.#bootMs() - this.#firstMs) / DAY_MS)
  }
}
