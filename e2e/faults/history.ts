/** The outcome of a call: acknowledged, refused, or unknown: it may have taken effect or not. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

type Write = { readonly kind: 'set' | 'delete'; readonly value: string; outcome: Outcome }

/** One request for approval. */
export type Delivery = {
  readonly requestId: string
  /** What the client has to read. */
  readonly expected: string
  /** Waits once more. @returns the plaintext, null while pending */
  readonly wait: (signal: AbortSignal) => Promise<string | null>
  approval: Outcome | 'not asked'
  /** Whether a waiter ever asked: from then on a crash may cost the delivery, but never doubles it. */
  wasAsked: boolean
  readonly received: string[]
}

/** What many callers did, and what of it must still be there. One key has one writer, which goes on only after its
 * last write ended; so the order of its writes is known. */
export class History {
  readonly #writes = new Map<string, Write[]>()
  readonly deliveries: Delivery[] = []

  /** To be called before the call is sent.
   * @returns a function to call with the outcome; until then it is unknown */
  writing(name: string, kind: Write['kind'], value = ''): (outcome: Outcome) => void {
    const write: Write = { kind, value, outcome: 'unknown' }
    const writes = this.#writes.get(name) ?? []
    this.#writes.set(name, writes)
    writes.push(write)
    return (outcome) => {
      write.outcome = outcome
    }
  }

  asking(asked: Pick<Delivery, 'requestId' | 'expected' | 'wait'>): Delivery {
    const delivery: Delivery = { ...asked, approval: 'not asked', wasAsked: false, received: [] }
    this.deliveries.push(delivery)
    return delivery
  }

  /** What was approved and no waiter has asked for: each must still be deliverable. */
  get owed(): Delivery[] {
    return this.deliveries.filter(({ approval, wasAsked }) => approval === 'acknowledged' && !wasAsked)
  }

  /** The creations and deletions that were acknowledged, as the audit log names them. */
  get acknowledged(): { name: string; action: string }[] {
    return [...this.#writes].flatMap(([name, writes]) => {
      const done = writes.filter(({ outcome }) => outcome === 'acknowledged')
      const made = writes[0]?.outcome === 'acknowledged' ? [{ name, action: 'key.created' }] : []
      return done.some(({ kind }) => kind === 'delete') ? [...made, { name, action: 'key.deleted' }] : made
    })
  }

  get counts(): { writes: number; deliveries: number } {
    const writes = [...this.#writes.values()].flat().filter(({ outcome }) => outcome === 'acknowledged')
    const delivered = this.deliveries.filter(({ received }) => received.length > 0)
    return { writes: writes.length, deliveries: delivered.length }
  }

  /** Compare what is stored with what was acknowledged.
   * @param stored name and value of every key that begins with `prefix`
   * @returns what is wrong, in words; nothing when all is well */
  faults(stored: ReadonlyMap<string, string>, prefix = ''): string[] {
    const known = [...this.#writes].filter(([name]) => name.startsWith(prefix))
    const wrong = known.flatMap(([name, writes]) => faultOf(name, writes, stored.get(name)))
    const invented = [...stored.keys()].filter((name) => !this.#writes.has(name))
    return [...wrong, ...invented.map((name) => `${name} exists but was never written`), ...this.#doubled()]
  }

  #doubled(): string[] {
    return this.deliveries.flatMap(({ requestId, received, expected }) => [
      ...(received.length > 1 ? [`${requestId} was delivered ${received.length} times`] : []),
      ...(received.some((text) => text !== expected) ? [`${requestId} was delivered with wrong values`] : []),
    ])
  }
}

function faultOf(name: string, writes: readonly Write[], stored: string | undefined): string[] {
  const lastKnown = writes.findLastIndex(({ outcome }) => outcome === 'acknowledged')
  const possible = writes.slice(Math.max(lastKnown, 0)).filter(({ outcome }) => outcome !== 'refused')
  const mayBeAbsent = lastKnown < 0 || possible.some(({ kind }) => kind === 'delete')
  if (stored === undefined) return mayBeAbsent ? [] : [`${name} was acknowledged and is lost`]
  const isPossible = possible.some(({ kind, value }) => kind === 'set' && value === stored)
  return isPossible ? [] : [`${name} holds a value that it cannot hold`]
}
