import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from '@keyferry/plumbing/private-files'
import { unavailable } from '../http/refusal.ts'
import {
  isActive,
  isStale,
  type Session,
  type SessionFilter,
  type SessionStore,
  type SessionTimes,
  StoredSession,
  sessionEndMs,
  USUAL_TIMES,
} from './session-store.ts'

const SCHEMA = `
  create table if not exists sessions (
    token_hash text primary key,
    idp_user_id text not null,
    provider_session_id text,
    created_at_ms integer not null,
    last_seen_at_ms integer not null,
    ends_at_ms integer not null,
    session text not null
  ) strict, without rowid;
  create index if not exists sessions_by_person on sessions (idp_user_id);
  create index if not exists sessions_by_provider_session on sessions (provider_session_id);
  create index if not exists sessions_by_end on sessions (ends_at_ms);
  create table if not exists uses (id text primary key, until_ms integer not null) strict, without rowid;`

const SQL = {
  create: `insert into sessions values
    (:tokenHash, :idpUserId, :providerSessionId, :createdAtMs, :lastSeenAtMs, :endsAtMs, :session)`,
  find: 'select session, last_seen_at_ms from sessions where token_hash = :tokenHash and ends_at_ms > :nowMs',
  touch: `update sessions set last_seen_at_ms = :nowMs, ends_at_ms = :endsAtMs where token_hash = :tokenHash`,
  chooseTenant: `update sessions set session = json_set(session, '$.tenantId', :tenantId)
    where token_hash = :tokenHash`,
  remove: 'delete from sessions where token_hash = :tokenHash',
  removeOfPerson: 'delete from sessions where idp_user_id = :idpUserId and created_at_ms < :beforeMs',
  removeOfProviderSession: 'delete from sessions where provider_session_id = :providerSessionId',
  list: `select session, last_seen_at_ms from sessions where idp_user_id = :idpUserId and ends_at_ms > :nowMs
    order by last_seen_at_ms desc, token_hash`,
  firstUse: `insert into uses values (:id, :untilMs)
    on conflict (id) do update set until_ms = :untilMs where until_ms <= :nowMs`,
  isUsed: 'select 1 from uses where id = :id and until_ms > :nowMs',
  forgetUse: 'delete from uses where id = :id',
  sweepSessions: 'delete from sessions where ends_at_ms <= :nowMs',
  sweepUses: 'delete from uses where until_ms <= :nowMs',
  ping: 'select 1 from sessions limit 1',
} as const

type Name = keyof typeof SQL
type SessionStatement = ReturnType<DatabaseSync['prepare']>

const SWEEP_MS = 60_000

export type SqliteSessionStoreOptions = {
  /** Created with mode 0600 if it does not exist. */
  path: string
  now: () => number
  times?: SessionTimes
}

/** The session store for nodes on one machine: an SQLite file, separate from the data. */
export function openSqliteSessionStore({
  path,
  now,
  times = USUAL_TIMES,
}: SqliteSessionStoreOptions): SessionStore {
  makePrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full;')
  database.exec(SCHEMA)
  return new SqliteSessionStore(database, { now, times })
}

class SqliteSessionStore implements SessionStore {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<Name, SessionStatement>()
  readonly #sweeping: NodeJS.Timeout

  readonly #times: SessionTimes

  constructor(database: DatabaseSync, { now, times }: { now: () => number; times: SessionTimes }) {
    this.#database = database
    this.#times = times
    this.#sweeping = setInterval(() => this.#sweep(now()), SWEEP_MS).unref()
    this.#sweep(now())
  }

  create(session: Session): Promise<void> {
    const { tokenHash, idpUserId, providerSessionId, createdAtMs, lastSeenAtMs } = session
    return this.#step(() => {
      const facts = { tokenHash, idpUserId, providerSessionId, createdAtMs, lastSeenAtMs }
      const endsAtMs = sessionEndMs(session, this.#times)
      this.#sql('create').run({ ...facts, endsAtMs, session: JSON.stringify(session) })
    })
  }

  find(tokenHash: string, nowMs: number, renews = true): Promise<Session | null> {
    return this.#step(() => {
      const row = this.#sql('find').get({ tokenHash, nowMs })
      if (row === undefined) return null
      const session = sessionOf(row)
      if (!isActive(session, nowMs, this.#times)) return null
      if (!renews || !isStale(session, nowMs)) return session
      const touched = { ...session, lastSeenAtMs: nowMs }
      this.#sql('touch').run({ tokenHash, nowMs, endsAtMs: sessionEndMs(touched, this.#times) })
      return touched
    })
  }

  chooseTenant(tokenHash: string, tenantId: string): Promise<void> {
    return this.#step(() => void this.#sql('chooseTenant').run({ tokenHash, tenantId }))
  }

  remove(tokenHash: string): Promise<void> {
    return this.#step(() => void this.#sql('remove').run({ tokenHash }))
  }

  removeAll(ending: SessionFilter): Promise<void> {
    return this.#step(() => {
      if ('providerSessionId' in ending) this.#sql('removeOfProviderSession').run(ending)
      else this.#sql('removeOfPerson').run({ beforeMs: Number.MAX_SAFE_INTEGER, ...ending })
    })
  }

  list(idpUserId: string, nowMs: number): Promise<Session[]> {
    return this.#step(() => {
      const sessions = this.#sql('list').all({ idpUserId, nowMs }).map(sessionOf)
      return sessions.filter((session) => isActive(session, nowMs, this.#times))
    })
  }

  firstUse(id: string, untilMs: number, nowMs: number): Promise<boolean> {
    return this.#step(() => this.#sql('firstUse').run({ id, untilMs, nowMs }).changes === 1)
  }

  isUsed(id: string, nowMs: number): Promise<boolean> {
    return this.#step(() => this.#sql('isUsed').get({ id, nowMs }) !== undefined)
  }

  forgetUse(id: string): Promise<void> {
    return this.#step(() => void this.#sql('forgetUse').run({ id }))
  }

  ping(): Promise<void> {
    return this.#step(() => void this.#sql('ping').get())
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping)
    if (this.#database.isOpen) this.#database.close()
  }

  #sql(name: Name): SessionStatement {
    const statement = this.#prepared.get(name) ?? this.#database.prepare(SQL[name])
    this.#prepared.set(name, statement)
    return statement
  }

  async #step<T>(work: () => T): Promise<T> {
    try {
      return work()
    } catch (cause) {
      throw unavailable('Session store', cause)
    }
  }

  // An ended session is never found again, so a failed sweep only costs disk space until the next one.
  #sweep(nowMs: number): void {
    void this.#step(() => {
      this.#sql('sweepSessions').run({ nowMs })
      this.#sql('sweepUses').run({ nowMs })
    }).catch(() => undefined)
  }
}

function sessionOf(row: Record<string, unknown>): Session {
  const session = StoredSession.parse(JSON.parse(String(row['session'])))
  return { ...session, lastSeenAtMs: Number(row['last_seen_at_ms']) }
}
