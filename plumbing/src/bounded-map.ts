/** A map that drops its oldest entry when a new one would exceed the bound. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    const [oldest] = this.keys()
    if (!this.has(key) && this.size >= this.#most && oldest !== undefined) this.delete(oldest)
    return super.set(key, value)
  }
}
