import type { Kysely, RawBuilder, Transaction } from 'kysely'
import type { Event } from '../../domain/base/event.ts'
import type { MacWrite, RowMacs } from '../row-macs/row-macs.ts'
import type { ColumnTypes } from '../schema/column.ts'
import type { ChangedRows, Rows } from './many-rows.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>

/** Make a change in one transaction: all of it is committed, or nothing.
 *
 * Every store makes its changes in here. What must be committed together with a change is one more insert into
 * `transaction`.
 *
 * Get from the database what needs another connection (a tenant's key, see `ValueVault.of`) before you call this: on
 * SQLite a transaction has the only connection that writes. */
export type Write = <T>(change: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>

/** Insert rows in a transaction, with one statement or one that is prepared once. On PostgreSQL they are only sent: if
 * that fails, the transaction fails (see pipeline.ts). */
type InsertAll = <Table extends keyof Tables>(
  transaction: Query,
  table: Table,
  rows: Rows<Table>,
) => Promise<void>

/** As `InsertAll`, for rows that exist. */
type UpdateAll = <Table extends keyof Tables>(
  transaction: Query,
  table: Table,
  changed: ChangedRows<Table>,
) => Promise<void>

/** `wanted` by this program, of `most` that the server gives, of which `others` use some. */
export type ScarceConnections = { wanted: number; most: number; others: number }

/** Ends a select: its rows are locked until the transaction ends. SQLite has one writer, so there it is empty.
 *
 * | word           | on PostgreSQL       | what waits                      | used for |
 * |----------------|---------------------|---------------------------------|----------|
 * | `lockKeyShare` | `for key share`     | `lock`, a deletion              | the tenant whose key encrypts |
 * | `lockShared`   | `for share`         | every change                    | a grant, a member |
 * | `lockToChange` | `for no key update` | every change, and `lockShared`  | rows that this transaction changes |
 * | `lock`         | `for update`        | every word, and rows that refer | changes that none may overlap |
 * | `skipLocked`   | … `skip locked`     | as `lock`                       | work that nodes share; skips locked rows |
 *
 * Functions named `lock…`, such as `lockTenant` and `lockBundle`, lock one row by an update of it, as `lockToChange`
 * does. The order in which a transaction locks rows: see `domain/approvals/together.ts`; rows of one table are locked
 * by their ids. Two waits have other names: `limitLocks` bounds them, and `lockMigrations` lets one migrator run. */
type Lock = RawBuilder<unknown>

export type Database = {
  /** On SQLite, a select outside of a transaction waits for none. */
  query: Query
  /** Of the rows that decide. */
  rowMacs: RowMacs
  /** The versions of rows that decide that a transaction wrote since the last call. */
  written(transaction: Query): Promise<MacWrite[]>
  write: Write
  /** Run one statement that changes something, in no other transaction. */
  single: <T>(statement: (query: Query) => Promise<T>) => Promise<T>
  insertAll: InsertAll
  updateAll: UpdateAll
  /** How many events one append takes: fewer on SQLite, because other writers wait for it. */
  appendBatch: number
  /** Let a transaction wait for 2 s at most for what another one has locked. SQLite has one writer, so none waits. */
  limitLocks(transaction: Query): Promise<void>
  lockKeyShare: Lock
  lockShared: Lock
  lockToChange: Lock
  lock: Lock
  skipLocked: Lock
  /** Names a table itself, where a common table expression has its name. */
  stored: (table: string) => RawBuilder<unknown>
  /** The part of `body` between this mark and the next quotation mark. */
  quotedAfter: (mark: string) => RawBuilder<unknown>
  columns: ColumnTypes
  /** Selects `table` and `column` of all that has a name where new tables are made; `column` is null for an index. */
  tableColumns: RawBuilder<Readonly<Record<string, unknown>>>
  /** Make every other migrator wait until the transaction ends. */
  lockMigrations(transaction: Query): Promise<void>
  /** Change tables in one transaction without a time limit, one migrator at a time. */
  migrate<T>(work: (transaction: Query) => Promise<T>): Promise<T>
  /** Whether the server may have too few connections for this program; null: it has enough. */
  scarceConnections(): Promise<ScarceConnections | null>
  /** Reads the clock of the server, in ms since 1970; null: the database is this machine's. */
  readTime: (() => Promise<number>) | null
  /** How many connections the program has now, and how many of its calls wait for one; null: none is needed. */
  usage: (() => { connections: number; waiting: number }) | null
  close(): Promise<void>
}

/** A transaction whose events enter the outbox when it is committed. */
export type Recorded = Query & {
  /** As `InsertAll`. */
  insertAll: <Table extends keyof Tables>(table: Table, rows: Rows<Table>) => Promise<void>
  /** As `UpdateAll`. */
  updateAll: <Table extends keyof Tables>(table: Table, changed: ChangedRows<Table>) => Promise<void>
  lock: Database['lock']
  lockToChange: Database['lockToChange']
  /** Record an event of the change that this transaction makes.
   * @throws DomainError unavailable: the change must not happen */
  record(event: Event): void
}

/** A transaction of `database` with what it records events by. */
export function recordedBy(
  database: Pick<Database, 'insertAll' | 'updateAll' | 'lock' | 'lockToChange'>,
  transaction: Query,
  record: Recorded['record'],
): Recorded {
  const { insertAll, updateAll, lock, lockToChange } = database
  return Object.assign(transaction, {
    record,
    lock,
    lockToChange,
    insertAll: ((table, rows) => insertAll(transaction, table, rows)) satisfies Recorded['insertAll'],
    updateAll: ((table, changed) => updateAll(transaction, table, changed)) satisfies Recorded['updateAll'],
  })
}

/** What stores read and write with. */
export type Queries = Pick<
  Database,
  | 'query'
  | 'rowMacs'
  | 'single'
  | 'stored'
  | 'quotedAfter'
  | 'limitLocks'
  | 'lockShared'
  | 'lockKeyShare'
  | 'lock'
  | 'lockToChange'
  | 'skipLocked'
> & {
  /** As `Write`, with a transaction that records events. */
  write: <T>(change: (transaction: Recorded) => Promise<T>) => Promise<T>
}
