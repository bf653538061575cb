import type { DatabaseSync } from 'node:sqlite'
import { DEVICE_REQUESTS, EXPIRED_KNOWN_MS, WAITING_REQUESTS } from '../domain/requests/request-store.ts'

/** Increase it with every change of the table or of its JSON. Rows of another version are dropped; they are minutes
 * old. */
const SCHEMA_VERSION = 12

// `payload`: the box of a deposit (`box_bytes` is its size), or a ciphertext (`box_bytes` is 0).
const SCHEMA = `
  drop table if exists requests;
  create table requests (
    id text primary key,
    request text not null,
    state text not null,
    payload text,
    box_bytes integer not null default 0,
    device_key text,
    approver_id text,
    first_approver_id text,
    voucher_id text,
    waits_in text,
    expires_at_ms integer not null
  ) strict, without rowid;
  create index requests_by_expiry on requests (expires_at_ms);
  create index requests_by_box on requests (expires_at_ms, box_bytes) where box_bytes > 0;
  create index requests_by_device on requests (device_key) where device_key is not null;
  create index requests_by_approver on requests (approver_id) where approver_id is not null;
  create index requests_by_first_approver on requests (first_approver_id) where first_approver_id is not null;
  create index requests_by_voucher on requests (voucher_id) where voucher_id is not null;
  create index requests_by_waiting on requests (waits_in) where waits_in is not null;
  pragma user_version = ${SCHEMA_VERSION};`

const SQL = {
  insert: `insert into requests (id, request, state, payload, box_bytes, device_key, expires_at_ms)
    select :id, :request, :state, :box, :boxBytes, :deviceKey, :expiresAtMs
    where (select count(*) from (select 1 from requests where expires_at_ms > :nowMs limit :maxLive)) < :maxLive
      and (:boxBytes = 0 or :boxBytes + (select coalesce(sum(box_bytes), 0) from requests
        where box_bytes > 0 and expires_at_ms > :nowMs) <= :maxBoxBytes)`,
  read: `select request, state, expires_at_ms from requests
    where id = :id and expires_at_ms > :nowMs - ${EXPIRED_KNOWN_MS}`,
  box: 'select payload from requests where id = :id and box_bytes > 0 and expires_at_ms > :nowMs',
  payload: 'select payload from requests where id = :id',
  setPayload: 'update requests set payload = :payload, box_bytes = 0 where id = :id',
  update: `update requests set state = :state, expires_at_ms = :expiresAtMs, device_key = :deviceKey,
      approver_id = :approverId, first_approver_id = :firstApproverId,
      voucher_id = :voucherId, waits_in = :waitsIn where id = :id`,
  remove: 'delete from requests where id = :id',
  ofDevice: `select id from requests where device_key = :deviceKey and expires_at_ms > :nowMs
    order by expires_at_ms desc limit ${DEVICE_REQUESTS}`,
  ofApprover: `select id from requests
    where (approver_id = :userId or first_approver_id = :userId or voucher_id = :userId) and expires_at_ms > :nowMs`,
  waitingIn: `select id from requests where waits_in = :tenantId and expires_at_ms > :nowMs
    order by expires_at_ms desc limit ${WAITING_REQUESTS}`,
  live: 'select id from requests where expires_at_ms > :nowMs',
  empty: `update requests set request = '', state = '', payload = null, box_bytes = 0, device_key = null,
      approver_id = null, first_approver_id = null, voucher_id = null, waits_in = null
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
    insert: database.prepare(SQL.insert),
    read: database.prepare(SQL.read),
    box: database.prepare(SQL.box),
    payload: database.prepare(SQL.payload),
    setPayload: database.prepare(SQL.setPayload),
    update: database.prepare(SQL.update),
    remove: database.prepare(SQL.remove),
    ofDevice: database.prepare(SQL.ofDevice),
    ofApprover: database.prepare(SQL.ofApprover),
    waitingIn: database.prepare(SQL.waitingIn),
    live: database.prepare(SQL.live),
    empty: database.prepare(SQL.empty),
    forget: database.prepare(SQL.forget),
    ping: database.prepare(SQL.ping),
  }
}

/** Delete the contents of expired requests. Their ids stay for a while, so that a late caller learns that they
 * expired. */
export function sweep({ empty, forget }: Statements, nowMs: number): void {
  forget.run({ nowMs })
  empty.run({ nowMs })
}
