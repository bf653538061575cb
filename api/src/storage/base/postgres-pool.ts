import { setTimeout as sleep } from 'node:timers/promises'
import { addressesOf } from '@keyferry/plumbing/several-hosts'
import { timeLimit } from '@keyferry/plumbing/time-limits'
import { Pool, type PoolClient } from 'pg'
import { nameStatements } from './statement-names.ts'

const CONNECT_TIMEOUT_MS = 3_000
const QUERY_TIMEOUT_MS = 18_000
const FULL_FOR_MS = 1_000
const PAUSE_MS = 100
const TOO_MANY_CONNECTIONS = '53300'
const POOL_IS_BUSY = 'timeout exceeded when trying to connect'

type PoolOptions = {
  /** Read for each new connection. May name several hosts: connections then go to the one that takes writes. */
  url: () => string
  connections: number
  /** Whether an answer has to come within 18 s. */
  isTimed: boolean
}

/** Connections to a PostgreSQL database, made as they are needed. While the server has none left, callers wait for one
 * of those in use. */
export class Connections {
  readonly #pool: Pool
  readonly #most: number
  readonly #url: () => string
  #at = 0

  constructor({ url, connections, isTimed }: PoolOptions) {
    this.#url = url
    this.#most = connections
    this.#pool = new Pool({
      max: connections,
      connectionTimeoutMillis: timeLimit(CONNECT_TIMEOUT_MS),
      ...(isTimed ? { query_timeout: timeLimit(QUERY_TIMEOUT_MS) } : {}),
      keepAlive: true,
      pipeline: true,
      ...(this.#addresses.length > 1 ? { verify: refuseStandby } : {}),
    })
    // The pool reads it for each new connection.
    Object.defineProperty(this.#pool.options, 'connectionString', {
      get: () => this.#addresses[this.#at] ?? this.#url(),
    })
    // A connection that the server ends while no query is on it says so by an event, which unheard ends the process.
    // The pool hears its idle ones; those in use, between two statements of a transaction, are heard here.
    this.#pool.on('error', ignore)
    this.#pool.on('connect', (client) => client.on('error', ignore))
    this.#pool.on('connect', nameStatements)
  }

  get #addresses(): readonly string[] {
    return addressesOf(this.#url())
  }

  get options(): Pool['options'] {
    return this.#pool.options
  }

  usage(): { connections: number; waiting: number } {
    return { connections: this.#pool.totalCount, waiting: this.#pool.waitingCount }
  }

  async connect(): Promise<PoolClient> {
    const untilMs = performance.now() + timeLimit(CONNECT_TIMEOUT_MS)
    for (let attempt = 1; ; attempt++) {
      const at = this.#at
      try {
        return await this.#pool.connect()
      } catch (error) {
        const mayTryAgain = isFull(error)
          ? performance.now() < untilMs && (await this.#giveWay())
          : attempt <= this.#addresses.length && this.#leave(at, error)
        if (!mayTryAgain) throw error
      }
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  // For a second the pool makes no new connection, so that callers wait for those that there are.
  async #giveWay(): Promise<true> {
    const { options } = this.#pool
    options.max = Math.max(1, this.#pool.totalCount)
    setTimeout(() => {
      options.max = this.#most
    }, FULL_FOR_MS).unref()
    if (this.#pool.totalCount === 0) await sleep(PAUSE_MS * Math.random())
    return true
  }

  #leave(at: number, error: unknown): boolean {
    const isBusy = error instanceof Error && error.message === POOL_IS_BUSY
    if (this.#addresses.length === 1 || isBusy) return false
    if (this.#at === at) this.#at = (at + 1) % this.#addresses.length
    return true
  }
}

function refuseStandby(client: PoolClient, done: (error?: Error) => void): void {
  client.query('select pg_is_in_recovery() as standby', (error, result) => {
    const isStandby = result?.rows[0]?.standby === true
    done(error ?? (isStandby ? new Error('connection terminated: a standby') : undefined))
  })
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === TOO_MANY_CONNECTIONS
}

function ignore(): void {}
