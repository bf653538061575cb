import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** At most so much of a file is kept in memory by one connection, in KiB and negative as SQLite wants it: with its own
 * two MiB the reads of a library of a million keys take twice as long as those of a thousand. */
export const SQLITE_CACHE = -32 * 1_024

/** Reads a SQLite file beside the connection that writes to it. All reads of one turn of the event loop share one
 * snapshot, which spares each of them taking and giving back the file's locks. */
export class SqliteSnapshot {
  readonly #connection: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #isOpen = false

  constructor(path: string, timeoutMs: number) {
    this.#connection = new DatabaseSync(path, { readOnly: true, timeout: timeoutMs })
    this.#connection.exec(`pragma cache_size = ${SQLITE_CACHE}`)
    this.#begin = this.#connection.prepare('begin')
    this.#commit = this.#connection.prepare('commit')
  }

  prepare(text: string): (parameters: SQLInputValue[]) => unknown[] {
    const statement = this.#connection.prepare(text)
    return (parameters) => {
      if (!this.#isOpen) this.#open()
      return statement.all(...parameters)
    }
  }

  /** The next read sees what was written until then. To be called with every write, whose author may read at once. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.#connection.isTransaction) this.#commit.run()
  }

  close(): void {
    this.end()
    this.#connection.close()
  }

  #open(): void {
    this.#begin.run()
    this.#isOpen = true
    setImmediate(() => this.end())
  }
}
