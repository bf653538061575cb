import { DatabaseSync } from 'node:sqlite'
import { LIMITS } from '@keyferry/contract'
import { GroupCommit } from '@keyferry/plumbing/group-commit'
import { makePrivateFile } from '@keyferry/plumbing/private-files'
import { unavailable } from '../domain/base/errors.ts'
import type { Change, Missing, RequestStore, Step } from '../domain/requests/request-store.ts'
import type { StoredRequest } from '../domain/requests/stored-request.ts'
import { Listeners } from './listeners.ts'
import { answerOf, listedBy, stateText, storedOf } from './record.ts'
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
 * are fully synchronous: a claim is on disk before its ciphertext leaves, so it survives a crash and a power cut. No
 * read is answered before what it saw is on disk. */
export function openSqliteRequestStore(options: SqliteRequestStoreOptions): RequestStore {
  return new SqliteRequestStore(options)
}

class SqliteRequestStore implements RequestStore {
  readonly #database: DatabaseSync
  readonly #statements: Statements
  readonly #commits: GroupCommit
  readonly #listeners = new Listeners()
  readonly #sweeping: NodeJS.Timeout
  readonly #maxLive: number
  readonly #maxBoxBytes: number

  constructor(options: SqliteRequestStoreOptions) {
    const { path, now, sweepSeconds = 60 } = options
    this.#maxLive = options.maxLive ?? LIMITS.liveRequests
    this.#maxBoxBytes = options.maxBoxBytes ?? LIMITS.waitingDepositBytes
    if (path !== IN_MEMORY) makePrivateFile(path)
    this.#database = new DatabaseSync(path, { timeout: 5_000 })
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on')
    createTable(this.#database)
    this.#database.exec('pragma busy_timeout = 0')
    this.#commits = new GroupCommit(this.#database)
    this.#statements = prepare(this.#database)
    sweep(this.#statements, now())
    this.#sweeping = setInterval(() => this.#sweep(now()), sweepSeconds * 1_000).unref()
  }

  insert(stored: StoredRequest, box: string | null, nowMs: number): Promise<'done' | 'full'> {
    return this.#write(({ insert }) => {
      const { request, expiresAtMs } = stored
      const bounds = { nowMs, maxLive: this.#maxLive, maxBoxBytes: this.#maxBoxBytes }
      const texts = { request: JSON.stringify(request), state: stateText(stored) }
      const { deviceKey } = listedBy(request, stored)
      const payload = { box, boxBytes: box?.length ?? 0 }
      const row = { id: request.id, ...texts, ...payload, deviceKey, expiresAtMs, ...bounds }
      return Number(insert.run(row).changes) === 1 ? 'done' : 'full'
    })
  }

  read(id: string, nowMs: number): Promise<StoredRequest | Missing> {
    return this.#read(() => this.#find(id, nowMs))
  }

  box(id: string, nowMs: number): Promise<string | null> {
    return this.#read(({ box }) => {
      const row = box.get({ id, nowMs })
      return row === undefined ? null : String(row['payload'])
    })
  }

  async change<Answer>(id: string, nowMs: number, step: Step<Answer>): Promise<Answer | Missing> {
    const { answer, isWritten } = await this.#write(() => {
      const stored = this.#find(id, nowMs)
      if (typeof stored === 'string') return { answer: stored, isWritten: false }
      const change = step(stored, nowMs)
      return { answer: this.#apply(stored, change), isWritten: change.next !== undefined }
    })
    if (isWritten) this.#listeners.call(id)
    return answer
  }

  ofDevice(deviceKey: string, nowMs: number): Promise<string[]> {
    return this.#read(({ ofDevice }) => ofDevice.all({ deviceKey, nowMs }).map(({ id }) => String(id)))
  }

  ofApprover(userId: string, nowMs: number): Promise<string[]> {
    return this.#read(({ ofApprover }) => ofApprover.all({ userId, nowMs }).map(({ id }) => String(id)))
  }

  waitingIn(tenantId: string, nowMs: number): Promise<string[]> {
    return this.#read(({ waitingIn }) => waitingIn.all({ tenantId, nowMs }).map(({ id }) => String(id)))
  }

  live(nowMs: number): Promise<string[]> {
    return this.#read(({ live }) => live.all({ nowMs }).map(({ id }) => String(id)))
  }

  watch(id: string, listener: () => void): () => void {
    return this.#listeners.watch(id, listener)
  }

  ping(): Promise<void> {
    return this.#read(({ ping }) => {
      ping.get()
    })
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    if (!this.#database.isOpen) return
    this.#commits.close()
    this.#database.close()
  }

  #find(id: string, nowMs: number): StoredRequest | Missing {
    const row = this.#statements.read.get({ id, nowMs })
    if (row === undefined) return 'unknown'
    if (Number(row['expires_at_ms']) <= nowMs) return 'expired'
    return storedOf({ request: String(row['request']), state: String(row['state']) })
  }

  #apply<Answer>({ request }: StoredRequest, change: Change<Answer>): Answer {
    const { id } = request
    const { update, remove, setPayload, payload } = this.#statements
    const { next } = change
    if (next === 'removed') remove.run({ id })
    else if (next) {
      update.run({ id, state: stateText(next), expiresAtMs: next.expiresAtMs, ...listedBy(request, next) })
    }
    if (change.payload === 'drop') setPayload.run({ id, payload: null })
    else if (typeof change.payload === 'object') setPayload.run({ id, payload: change.payload.put })
    return answerOf(change, change.payload === 'read' ? String(payload.get({ id })?.['payload'] ?? '') : '')
  }

  #write<T>(act: (statements: Statements) => T): Promise<T> {
    return translated(async () => {
      await this.#commits.begin()
      let durable: Promise<void>
      let result: T
      try {
        result = act(this.#statements)
        durable = this.#commits.keep()
      } catch (error) {
        this.#commits.undo()
        throw error
      }
      await durable
      return result
    })
  }

  #sweep(nowMs: number): void {
    try {
      sweep(this.#statements, nowMs)
    } catch {
      // The disk is full or failing. Expired rows are invisible anyway, and the next sweep tries again.
    }
  }

  #read<T>(act: (statements: Statements) => T): Promise<T> {
    return translated(async () => {
      const result = act(this.#statements)
      await this.#commits.settled()
      return result
    })
  }
}

async function translated<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    throw unavailable('request store', cause)
  }
}
