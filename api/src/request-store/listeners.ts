/** Calls the listeners of an id, within one process. */
export class Listeners {
  readonly #listeners = new Map<string, Set<() => void>>()

  watch(id: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(id) === listeners) this.#listeners.delete(id)
    }
  }

  call(id: string): void {
    for (const listener of this.#listeners.get(id) ?? []) listener()
  }

  callAll(): void {
    for (const id of this.#listeners.keys()) this.call(id)
  }
}
