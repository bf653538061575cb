type Values = Readonly<Record<string, string>>

/** One who waits for the rows of a read. */
type Asker = { resolve: (rows: unknown[]) => void; reject: (error: unknown) => void }

/** What is asked, and everyone who asks just that. */
export type Question = { readonly values: Values; readonly askers: Asker[] }

export type Batch = {
  readonly questions: readonly Question[]
  /** Lets the next one go. */
  readonly end: () => void
}

/** Which questions may share a statement: at most `size`, and where `apart` names a value only those that agree in it, of
 * whose statements at most `atOnce` are underway. */
export type Sharing = { readonly size: number; readonly apart?: string; readonly atOnce: number }

/** More than one, so that a connection that hangs does not hold up everybody. */
const AT_ONCE = 4

/** For reads of one row at most. */
export const ROW_SHARING: Sharing = { size: 100, atOnce: AT_ONCE }

/** For reads of any number of rows. A tenant that has very many waits for them, perhaps in vain, but alone: nobody
 * else's rows come with them, and half of what may be underway is left to the others. */
export const LIST_SHARING: Sharing = { size: 4, apart: 'tenantId', atOnce: AT_ONCE / 2 }

/** Reads that wait for their statement, in queues that take turns. */
export class WaitingReads {
  readonly #sharing: Sharing
  readonly #queues = new Map<string, Map<string, Question>>()
  readonly #underway = new Map<string, number>()
  #allUnderway = 0

  constructor(sharing: Sharing) {
    this.#sharing = sharing
  }

  add(values: Values, asker: Asker): void {
    const { apart } = this.#sharing
    const name = apart === undefined ? '' : (values[apart] ?? '')
    const queue = this.#queues.get(name) ?? new Map<string, Question>()
    this.#queues.set(name, queue)
    const text = JSON.stringify(values)
    const question = queue.get(text)
    if (question) question.askers.push(asker)
    else queue.set(text, { values, askers: [asker] })
  }

  mayGo(): boolean {
    return this.#nextName() !== null
  }

  next(): Batch | null {
    const name = this.#nextName()
    const queue = name === null ? undefined : this.#queues.get(name)
    if (name === null || !queue) return null
    const batch = [...queue].slice(0, this.#sharing.size)
    for (const [text] of batch) queue.delete(text)
    this.#queues.delete(name)
    if (queue.size > 0) this.#queues.set(name, queue)
    this.#count(name, 1)
    return { questions: batch.map(([, question]) => question), end: () => this.#count(name, -1) }
  }

  #nextName(): string | null {
    if (this.#allUnderway >= AT_ONCE) return null
    for (const name of this.#queues.keys())
      if ((this.#underway.get(name) ?? 0) < this.#sharing.atOnce) return name
    return null
  }

  #count(name: string, by: 1 | -1): void {
    this.#allUnderway += by
    const underway = (this.#underway.get(name) ?? 0) + by
    if (underway === 0) this.#underway.delete(name)
    else this.#underway.set(name, underway)
  }
}
