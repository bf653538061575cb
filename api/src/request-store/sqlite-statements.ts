import type { DatabaseSync } from 'node:sqlite'
import { EXPIRED_KNOWN_MS } from '../domain/request-store.ts'

/** Increase it with every change of the table. Rows of another version are dropped; they live for minutes only. */
const SCHEMA_VERSION = 4

const SCHEMA = `
  drop table if exists requests;
  create table requests (
    id text primary key,
    request text not null,
    state text not null default 'pending' check (state in ('pending', 'ready', 'claimed', 'denied', 'withdrawn')),
    ciphertext text,
    approval text,
    approver_id text,
    tenant_id text,
    wrong_codes integer not null default 0,
    expires_at_ms integer not null
  ) strict, without rowid;
  create index requests_by_expiry on requests (expires_at_ms);
  create index requests_by_approver on requests (approver_id) where approver_id is not null;
  pragma user_version = ${SCHEMA_VERSION};`

const SQL = {
  create: `insert into requests (id, request, expires_at_ms) select :id, :request, :expiresAtMs
    where (select count(*) from (select 1 from requests where expires_at_ms > :nowMs limit :maxLive)) < :maxLive`,
  find: 'select request, state from requests where id = :id and expires_at_ms > :nowMs',
  hasExpired: `select 1 from requests
    where id = :id and expires_at_ms <= :nowMs and expires_at_ms > :nowMs - ${EXPIRED_KNOWN_MS}`,
  seal: `update requests set state = 'ready', ciphertext = :ciphertext, approval = :approval,
      approver_id = :approverId, tenant_id = :tenantId
    where id = :id and state = 'pending' and expires_at_ms > :nowMs`,
  deny: `update requests set state = 'denied' where id = :id and state = 'pending' and expires_at_ms > :nowMs`,
  withdraw: `update requests set state = 'withdrawn', ciphertext = null, approval = null
    where id = :id and state in ('pending', 'ready', 'claimed') and expires_at_ms > :nowMs`,
  countWrongCode: `update requests set wrong_codes = wrong_codes + 1,
      state = case when wrong_codes + 1 >= :limit then 'denied' else state end
    where id = :id and state = 'pending' and expires_at_ms > :nowMs returning wrong_codes, state`,
  claim: `update requests set state = 'claimed'
    where id = :id and state = 'ready' and expires_at_ms > :nowMs returning ciphertext, approval`,
  release: `update requests set state = 'ready' where id = :id and state = 'claimed' and expires_at_ms > :nowMs`,
  remove: 'delete from requests where id = :id',
  removeApprovedBy: `delete from requests where approver_id = :userId and state = 'ready'
    and (:tenantId is null or tenant_id = :tenantId) returning id`,
  empty: `update requests set request = '', ciphertext = null, approval = null, approver_id = null, tenant_id = null
    where expires_at_ms <= :nowMs and request <> ''`,
  forget: `delete from requests where expires_at_ms <= :nowMs - ${EXPIRED_KNOWN_MS}`,
  ping: 'select 1 from requests limit 1',
} as const

export type Statements = ReturnType<typeof prepare>

/** Creates the table. A table of another version is replaced by an empty one. */
export function createTable(database: DatabaseSync): void {
  database.exec('begin immediate')
  const version = database.prepare('pragma user_version').get()?.['user_version']
  if (version !== SCHEMA_VERSION) database.exec(SCHEMA)
  database.exec('commit')
}

export function prepare(database: DatabaseSync) {
  return {
    create: database.prepare(SQL.create),
    find: database.prepare(SQL.find),
    hasExpired: database.prepare(SQL.hasExpired),
    seal: database.prepare(SQL.seal),
    deny: database.prepare(SQL.deny),
    withdraw: database.prepare(SQL.withdraw),
    countWrongCode: database.prepare(SQL.countWrongCode),
    claim: database.prepare(SQL.claim),
    release: database.prepare(SQL.release),
    remove: database.prepare(SQL.remove),
    removeApprovedBy: database.prepare(SQL.removeApprovedBy),
    empty: database.prepare(SQL.empty),
    forget: database.prepare(SQL.forget),
    ping: database.prepare(SQL.ping),
  }
}

/** Delete the contents of expired requests. Their ids stay for a while, so that a late caller learns that they expired. */
export function sweep({ empty, forget }: Statements, nowMs: number): void {
  forget.run({ nowMs })
  empty.run({ nowMs })
}
