/** A third of the connections: a tenant with very large bundles waits for them behind itself, and for nobody else. */
const AT_ONCE = 4

/** Does work of one name a few at a time and in order, beside work of other names. */
export class Lanes {
  readonly #lanes = new Map<string, { underway: number; waiting: (() => void)[] }>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(name) ?? { underway: 0, waiting: [] }
    this.#lanes.set(name, lane)
    if (lane.underway < AT_ONCE) lane.underway += 1
    else await new Promise<void>((resolve) => lane.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = lane.waiting.shift()
      if (next) next()
      else if (--lane.underway === 0) this.#lanes.delete(name)
    }
  }
}
