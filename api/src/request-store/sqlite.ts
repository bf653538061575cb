import { DatabaseSync } from 'node:sqlite'
import { LIMITS, type WhyNotCode } from '@keyferry/contract'
import { makePrivateFile } from '@keyferry/plumbing/private-files'
import { unavailable } from '../domain/errors.ts'
import {
  APPLY_MS,
  type Claim,
  type DepositStep,
  type FreshCode,
  type Released,
  type RequestStore,
  type Settled,
  type Step,
} from '../domain/request-store.ts'
import type { AppliedDeposit } from '../domain/stored-deposit.ts'
import { type ApprovalRequest, type StoredRequest, sealingText } from '../domain/stored-request.ts'
import { Bell } from './bell.ts'
import { asSettled, asState, claimed, type State, storedRequest } from './sqlite-rows.ts'
import { createTable, prepare, type Statements, sweep } from './sqlite-statements.ts'

const IN_MEMORY = ':memory:'

export type SqliteRequestStoreOptions = {
  path: string
  /** Epoch milliseconds. */
  now: () => number
  /** How often the contents of expired requests are deleted from the file. */
  sweepSeconds?: number
  maxLive?: number
  maxBoxBytes?: number
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
  readonly #maxBoxBytes: number

  constructor(options: SqliteRequestStoreOptions) {
    const { path, now, sweepSeconds = 60 } = options
    this.#maxLive = options.maxLive ?? LIMITS.liveRequests
    this.#maxBoxBytes = options.maxBoxBytes ?? LIMITS.waitingDepositBytes
    if (path !== IN_MEMORY) makePrivateFile(path)
    this.#database = new DatabaseSync(path, { timeout: 5_000 })
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full;')
    createTable(this.#database)
    this.#statements = prepare(this.#database)
    sweep(this.#statements, now())
    this.#sweeping = setInterval(() => this.#sweep(now()), sweepSeconds * 1_000).unref()
  }

  create(request: ApprovalRequest, nowMs: number, box?: string): Promise<boolean> {
    return this.#step(({ create }) => {
      const { id, expiresAtMs } = request
      const deviceKey = request.together ? request.deviceKey : null
      const bounds = { nowMs, maxLive: this.#maxLive, maxBoxBytes: this.#maxBoxBytes }
      const held = { box: box ?? null, boxBytes: box?.length ?? 0 }
      const row = { id, request: JSON.stringify(request), deviceKey, expiresAtMs, ...held, ...bounds }
      return Number(create.run(row).changes) === 1
    })
  }

  box(id: string, nowMs: number): Promise<string | null> {
    return this.#step(({ box }) => {
      const row = box.get({ id, nowMs })
      return row === undefined ? null : String(row['box'])
    })
  }

  approveDeposit(id: string, step: DepositStep, nowMs: number): Promise<Settled> {
    return this.#step(({ approveDeposit }) => {
      const row = { id, nowMs, ...depositColumns(step, nowMs) }
      return this.#settle(approveDeposit.run(row).changes, id, nowMs)
    })
  }

  settleDeposit(
    id: string,
    { depositId, applied }: { depositId: string; applied: AppliedDeposit | null },
    nowMs: number,
  ): Promise<boolean> {
    return this.#step(({ settleDeposit }) => {
      const row = { id, nowMs, depositId, applied: applied && JSON.stringify(applied) }
      const isSettled = Number(settleDeposit.run(row).changes) > 0
      if (isSettled) this.#bell.ring(id)
      return isSettled
    })
  }

  find(id: string, nowMs: number): Promise<StoredRequest | null> {
    return this.#step(({ find }) => {
      const row = find.get({ id, nowMs })
      return row === undefined ? null : storedRequest(row)
    })
  }

  ofDevice(deviceKey: string, nowMs: number): Promise<StoredRequest[]> {
    return this.#step(({ ofDevice }) => ofDevice.all({ deviceKey, nowMs }).map(storedRequest))
  }

  hasExpired(id: string, nowMs: number): Promise<boolean> {
    return this.#step(({ hasExpired }) => hasExpired.get({ id, nowMs }) !== undefined)
  }

  approve(id: string, step: Step, nowMs: number): Promise<Settled> {
    return this.#step(({ approve }) => {
      const { changes } = approve.run({ id, nowMs, ...columnsOf(step) })
      if (Number(changes) > 0) return this.#rung(id)
      const state = this.#stateOf(id, nowMs)
      return state === 'pending' ? 'changed' : asSettled(state)
    })
  }

  release(id: string, { hash, limit }: { hash: string; limit: number }, nowMs: number): Promise<Released> {
    return this.#step(({ find, release, countWrongRelease }) => {
      const [row] = release.all({ id, hash, nowMs })
      if (row !== undefined) {
        this.#bell.ring(id)
        return { status: 'released' }
      }
      const held = find.get({ id, nowMs })
      if (held === undefined) return { status: 'gone' }
      const state = asState(held['state'])
      if (state !== 'held') return { status: asReleased(state) }
      if (Number(held['release_until_ms']) <= nowMs) return { status: 'late' }
      const [wrong] = countWrongRelease.all({ id, limit, nowMs })
      if (wrong?.['state'] === 'denied') this.#bell.ring(id)
      return { status: 'wrong', attemptsLeft: limit - Number(wrong?.['release_wrong'] ?? 0) }
    })
  }

  renewCode(id: string, { approval, names, ...code }: FreshCode, nowMs: number): Promise<boolean> {
    return this.#step(({ renewCode }) => {
      const row = { id, nowMs, ...code, approval: sealingText({ approval, names }) }
      const isRenewed = Number(renewCode.run(row).changes) === 1
      if (isRenewed) this.#bell.ring(id)
      return isRenewed
    })
  }

  deny(id: string, nowMs: number, why?: WhyNotCode): Promise<Settled> {
    return this.#step(({ deny }) =>
      this.#settle(deny.run({ id, nowMs, why: why ?? null }).changes, id, nowMs),
    )
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
      return { status: state === 'claimed' || state === 'applying' || state === 'ready' ? 'taken' : state }
    })
  }

  unclaim(id: string, nowMs: number): Promise<void> {
    return this.#step(({ unclaim }) => {
      unclaim.run({ id, nowMs })
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
    return this.#step(({ removeApprovedBy, removeFirstBy }) => {
      const removed = removeApprovedBy.all({ userId, tenantId })
      for (const { id } of [...removed, ...removeFirstBy.all({ userId, tenantId })])
        this.#bell.ring(String(id))
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
    return Number(changes) > 0 ? this.#rung(id) : asSettled(this.#stateOf(id, nowMs))
  }

  #rung(id: string): 'done' {
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

function columnsOf({ after, first, sealed, hold, by }: Step) {
  return {
    after,
    next: hold ? 'held' : sealed ? 'ready' : 'pending',
    ciphertext: sealed?.ciphertextBase64 ?? null,
    approval: sealed && sealingText(sealed),
    approverId: by?.approverId ?? null,
    tenantId: by?.tenantId ?? null,
    first: first && JSON.stringify(first),
    firstApproverId: first?.approverId ?? null,
    hash: hold?.hash ?? null,
    by: hold?.by ?? null,
    untilMs: hold?.untilMs ?? null,
  }
}

function depositColumns({ approval, hold }: DepositStep, nowMs: number) {
  return {
    next: hold ? 'held' : 'applying',
    deposit: JSON.stringify(approval),
    approverId: approval.approver.id,
    hash: hold?.hash ?? null,
    by: hold?.by ?? null,
    untilMs: hold?.untilMs ?? nowMs + APPLY_MS,
  }
}

function asReleased(state: Exclude<State, 'held'>): 'not_held' | 'denied' | 'withdrawn' {
  return state === 'denied' || state === 'withdrawn' ? state : 'not_held'
}
