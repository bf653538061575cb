import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

const MAX_CHANGES = 64
const MAX_MS = 8
const BUSY_MS = 2_000
const RETRY_MS = 5

/** Makes the changes of one turn of the event loop durable together: on SQLite, a commit costs more than most changes,
 * because it waits for the disk.
 *
 * A change begins with `begin` and ends with `keep` or `undo`. One change is made at a time, in the order of the
 * calls. A change that is undone takes nothing of its neighbours along. If the disk is full or fails, SQLite undoes
 * the whole group, and each of its changes fails.
 *
 * Open the file with a timeout of 0: while another process writes, this waits without blocking the process. */
export class GroupCommit {
  readonly #file: DatabaseSync
  #group: Group | null = null
  #lastTurn: Promise<void> = Promise.resolve()
  #endTurn: (() => void) | null = null

  constructor(file: DatabaseSync) {
    this.#file = file
  }

  /** @throws what SQLite throws, if another process locks the file for 2 s */
  async begin(): Promise<void> {
    const endTurn = await this.#turn()
    try {
      await whenFree(() => this.#file.exec(this.#group ? 'savepoint change' : 'begin immediate'))
    } catch (error) {
      endTurn()
      throw error
    }
    this.#group ??= new Group()
    this.#group.changes++
    this.#endTurn = endTurn
  }

  /** @returns resolves when the change is durable, and rejects when it is not */
  keep(): Promise<void> {
    const group = this.#opened()
    if (group.changes > 1) this.#file.exec('release change')
    else setImmediate(() => this.#endOfTurn(group))
    const { durable } = group
    this.#end(group)
    return durable
  }

  undo(): void {
    const group = this.#opened()
    if (!this.#file.isTransaction) this.#lose(group)
    else if (group.changes > 1) this.#file.exec('rollback to change; release change')
    else {
      this.#file.exec('rollback')
      this.#group = null
    }
    this.#end(group)
  }

  /** Run a statement between two groups, in no transaction. */
  async alone<T>(run: () => T): Promise<T> {
    const endTurn = await this.#turn()
    try {
      this.close()
      return await whenFree(run)
    } finally {
      endTurn()
    }
  }

  /** Resolves when all that was kept so far is durable. */
  async settled(): Promise<void> {
    await this.#group?.durable
  }

  /** Make all that was kept durable now. A change that is still being made is undone. */
  close(): void {
    if (this.#endTurn) this.undo()
    if (this.#group) this.#commit(this.#group)
  }

  async #turn(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#lastTurn
    this.#lastTurn = promise
    await before
    return resolve
  }

  #opened(): Group {
    if (!this.#group || !this.#endTurn) throw new Error('no change is being made')
    return this.#group
  }

  #end(group: Group): void {
    if (this.#group === group && group.isAtItsEnd()) this.#commit(group)
    this.#endTurn?.()
    this.#endTurn = null
  }

  #endOfTurn(group: Group): void {
    if (this.#group !== group) return
    if (this.#endTurn) group.isDue = true
    else this.#commit(group)
  }

  #commit(group: Group): void {
    try {
      this.#file.exec('commit')
      this.#group = null
      group.succeed()
    } catch (error) {
      this.#lose(group, error)
    }
  }

  // Nobody waits for a group whose only change was never kept.
  #lose(group: Group, error: unknown = new Error('SQLite undid all changes that were made together')): void {
    this.#group = null
    if (this.#file.isTransaction) this.#file.exec('rollback')
    if (group.isAwaited) group.fail(error)
  }
}

class Group {
  readonly #end = Promise.withResolvers<void>()
  readonly #startedAt = performance.now()
  changes = 0
  isAwaited = false
  /** The turn of the event loop was over while a change was being made. */
  isDue = false

  get durable(): Promise<void> {
    this.isAwaited = true
    return this.#end.promise
  }

  succeed(): void {
    this.#end.resolve()
  }

  fail(error: unknown): void {
    this.#end.reject(error)
  }

  isAtItsEnd(): boolean {
    return this.isDue || this.changes >= MAX_CHANGES || performance.now() - this.#startedAt > MAX_MS
  }
}

/** Run a statement; while another process writes, try again for 2 s. */
async function whenFree<T>(run: () => T): Promise<T> {
  const until = performance.now() + BUSY_MS
  while (true) {
    try {
      return run()
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
    }
    await sleep(RETRY_MS)
  }
}

// Primary result code 5: busy.
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}
