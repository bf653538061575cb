import { unavailable } from '../../domain/base/errors.ts'

/** Runs a few pieces of work at a time; the others wait for their turn. So calls that anyone can make never take all
 * connections to the database. */
export class Lane {
  readonly #waiting: (() => void)[] = []
  readonly #mostWaiting: number
  #free: number

  constructor(options: { atOnce: number; mostWaiting: number }) {
    this.#free = options.atOnce
    this.#mostWaiting = options.mostWaiting
  }

  /** @throws DomainError unavailable: too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#turn()
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) throw unavailable('database')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
