import type { Dispatcher, Pool } from 'undici'

// Longer than an API that stops keeps idle connections: a call on one that just closes would fail.
const AVOIDED_MS = 5_000

// No connection came about, so no node has seen the call.
const NEVER_SENT = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/

type Node = { pool: Pool; avoidedUntilMs: number }

/** The nodes of the API. Each call goes to the next one. A node that refused a connection, answered 503, or closed the
 * connection because it is about to stop gets no call for five seconds, unless all did. */
export class ApiNodes {
  readonly #nodes: readonly Node[]
  #next = 0

  constructor(pools: readonly Pool[]) {
    this.#nodes = pools.map((pool) => ({ pool, avoidedUntilMs: 0 }))
  }

  get count(): number {
    return this.#nodes.length
  }

  /** What the first node answers that takes the connection.
   * @throws what the last attempt threw */
  async first(attempt: (pool: Pool) => Promise<Dispatcher.ResponseData>): Promise<Dispatcher.ResponseData> {
    let failure: unknown
    for (const node of this.#inTurn()) {
      try {
        const answer = await attempt(node.pool)
        if (answer.statusCode === 503 || answer.headers['connection'] === 'close') avoid(node)
        return answer
      } catch (error) {
        if (!wasNeverSent(error)) throw error
        avoid(node)
        failure = error
      }
    }
    throw failure
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(async ({ pool }) => pool.closed || (await pool.close())))
  }

  #inTurn(): readonly Node[] {
    this.#next = (this.#next + 1) % this.#nodes.length
    const turn = [...this.#nodes.slice(this.#next), ...this.#nodes.slice(0, this.#next)]
    const nowMs = performance.now()
    return turn.toSorted((a, b) => Number(a.avoidedUntilMs > nowMs) - Number(b.avoidedUntilMs > nowMs))
  }
}

function avoid(node: Node): void {
  node.avoidedUntilMs = performance.now() + AVOIDED_MS
}

function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NEVER_SENT.test(String(error.code))
}
