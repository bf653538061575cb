/** Which steps in the background failed at their last run, for `/readyz` and the metrics. */
export class FailingSteps {
  readonly #failing = new Set<string>()

  get names(): readonly string[] {
    return [...this.#failing]
  }

  /** The same work; it counts as failing from a run that throws until a run that does not. */
  watched(name: string, work: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        await work()
        this.note(name, false)
      } catch (error) {
        this.note(name, true)
        throw error
      }
    }
  }

  /** Note whether the last run of a step failed. */
  note(name: string, isFailing: boolean): void {
    if (isFailing) this.#failing.add(name)
    else this.#failing.delete(name)
  }
}
