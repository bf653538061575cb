import { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '@keyferry/contract'
import { makePrivateFile } from '@keyferry/plumbing/private-files'
import { unavailable } from '../domain/errors.ts'
import {
  Approval,
  ApprovalRequest,
  type Claim,
  type RequestStore,
  type Sealed,
  type Settled,
  type StoredRequest,
} from '../domain/request-store.ts'
import { Bell } from './bell.ts'
import { createTable, prepare, type Statements, sweep } from './sqlite-statements.ts'

const IN_MEMORY = ':memory:'

const STATES = ['pending', 'ready', 'claimed', 'denied', 'withdrawn'] as const

type State = (typeof STATES)[number]

export type SqliteRequestStoreOptions = {
  path: string
  /** Epoch milliseconds. */
  now: () => number
  /** How often the contents of expired requests are deleted from the file. */
  sweepSeconds?: number
  maxLive?: number
}

/** The request store of a single process, in a separate file, so that backups of the database hold no requests. Writes
 * are fully synchronous: a claim is on disk before its ciphertext leaves, so it survives a crash and a power cut. */
export function openSqliteRequestStore(options: SqliteRequestStoreOptions): RequestStore {
  return new SqliteRequestStore(options)
}

class SqliteRequestStore implements RequestStore {
  readonly #database: DatabaseSync
  readonly #statements: Statements
  readonly #bell = new Bell()
  readonly #sweeping: NodeJS.Timeout
  readonly #maxLive: number

  constructor({ path, now, sweepSeconds = 60, maxLive = LIMITS.liveRequests }: SqliteRequestStoreOptions) {
    this.#maxLive = maxLive
    if (path !== IN_MEMORY) makePrivateFile(path)
    this.#database = new DatabaseSync(path, { timeout: 5_000 })
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full;')
    createTable(this.#database)
    this.#statements = prepare(this.#database)
    sweep(this.#statements, now())
    this.#sweeping = setInterval(() => this.#sweep(now()), sweepSeconds * 1_000).unref()
  }

  create(request: ApprovalRequest, nowMs: number): Promise<boolean> {
    return this.#step(({ create }) => {
      const { id, expiresAtMs } = request
      const row = { id, request: JSON.stringify(request), expiresAtMs, nowMs, maxLive: this.#maxLive }
      return Number(create.run(row).changes) === 1
    })
  }

  find(id: string, nowMs: number): Promise<StoredRequest | null> {
    return this.#step(({ find }) => {
      const row = find.get({ id, nowMs })
      if (row === undefined) return null
      const state = asState(row['state'])
      const request = ApprovalRequest.parse(JSON.parse(String(row['request'])))
      return { request, status: state === 'claimed' ? 'ready' : state }
    })
  }

  hasExpired(id: string, nowMs: number): Promise<boolean> {
    return this.#step(({ hasExpired }) => hasExpired.get({ id, nowMs }) !== undefined)
  }

  seal(id: string, { ciphertextBase64, approval }: Sealed, nowMs: number): Promise<Settled> {
    return this.#step(({ seal }) => {
      const approved = {
        approval: approval === null ? null : JSON.stringify(approval),
        approverId: approval?.approverId ?? null,
        tenantId: approval?.tenant.id ?? null,
      }
      const { changes } = seal.run({ id, ciphertext: ciphertextBase64, ...approved, nowMs })
      return this.#settle(changes, id, nowMs)
    })
  }

  deny(id: string, nowMs: number): Promise<Settled> {
    return this.#step(({ deny }) => this.#settle(deny.run({ id, nowMs }).changes, id, nowMs))
  }

  withdraw(id: string, nowMs: number): Promise<Settled> {
    return this.#step(({ withdraw }) => this.#settle(withdraw.run({ id, nowMs }).changes, id, nowMs))
  }

  countWrongCode(id: string, limit: number, nowMs: number): Promise<number> {
    return this.#step(({ countWrongCode }) => {
      const [row] = countWrongCode.all({ id, limit, nowMs })
      if (row?.['state'] === 'denied') this.#bell.ring(id)
      return row === undefined ? 0 : limit - Number(row['wrong_codes'])
    })
  }

  claim(id: string, nowMs: number): Promise<Claim> {
    return this.#step(({ claim }) => {
      // Not `get`: it stops before the row is written, and hides a failed write.
      const [row] = claim.all({ id, nowMs })
      if (row !== undefined) return claimed(row)
      const state = this.#stateOf(id, nowMs)
      return { status: state === 'claimed' || state === 'ready' ? 'taken' : state }
    })
  }

  release(id: string, nowMs: number): Promise<void> {
    return this.#step(({ release }) => {
      release.run({ id, nowMs })
      this.#bell.ring(id)
    })
  }

  remove(id: string): Promise<void> {
    return this.#step(({ remove }) => {
      remove.run({ id })
      this.#bell.ring(id)
    })
  }

  removeApprovedBy({ userId, tenantId }: { userId: string; tenantId: string | null }): Promise<void> {
    return this.#step(({ removeApprovedBy }) => {
      for (const { id } of removeApprovedBy.all({ userId, tenantId })) this.#bell.ring(String(id))
    })
  }

  watch(id: string, listener: () => void): () => void {
    return this.#bell.watch(id, listener)
  }

  ping(): Promise<void> {
    return this.#step(({ ping }) => {
      ping.get()
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    if (this.#database.isOpen) this.#database.close()
  }

  #settle(changes: number | bigint, id: string, nowMs: number): Settled {
    if (Number(changes) === 0) {
      const state = this.#stateOf(id, nowMs)
      return state === 'pending' || state === 'claimed' ? 'ready' : state
    }
    this.#bell.ring(id)
    return 'done'
  }

  #stateOf(id: string, nowMs: number): State | 'gone' {
    const row = this.#statements.find.get({ id, nowMs })
    return row === undefined ? 'gone' : asState(row['state'])
  }

  #sweep(nowMs: number): void {
    try {
      sweep(this.#statements, nowMs)
    } catch {
      // The disk is full or failing. Expired rows are invisible anyway, and the next sweep tries again.
    }
  }

  async #step<T>(act: (statements: Statements) => T): Promise<T> {
    try {
      return act(this.#statements)
    } catch (cause) {
      throw unavailable('request store', cause)
    }
  }
}

function claimed(row: Record<string, unknown>): Claim {
  const { ciphertext, approval } = row
  return {
    status: 'claimed',
    ciphertextBase64: String(ciphertext),
    approval: typeof approval === 'string' ? Approval.parse(JSON.parse(approval)) : null,
  }
}

function asState(value: unknown): State {
  const state = STATES.find((known) => known === value)
  if (state !== undefined) return state
  throw new Error(`unknown state of a request: ${String(value)}`)
}
