import type { DatabaseSync } from 'node:sqlite'
import { APPLY_MS, DEVICE_REQUESTS, EXPIRED_KNOWN_MS } from '../domain/request-store.ts'

/** Increase it with every change of the table. Rows of another version are dropped; they are only minutes old. */
const SCHEMA_VERSION = 9

const SCHEMA = `
  drop table if exists requests;
  create table requests (
    id text primary key,
    request text not null,
    device_key text,
    state text not null default 'pending'
      check (state in ('pending', 'held', 'applying', 'ready', 'claimed', 'denied', 'withdrawn')),
    ciphertext text,
    approval text,
    approver_id text,
    tenant_id text,
    first text,
    first_approver_id text,
    release_hash text,
    release_by text,
    release_until_ms integer,
    release_wrong integer not null default 0,
    release_codes integer not null default 0,
    returned text,
    wrong_codes integer not null default 0,
    box text,
    box_bytes integer not null default 0,
    deposit text,
    applied text,
    why_denied text,
    expires_at_ms integer not null
  ) strict, without rowid;
  create index requests_by_expiry on requests (expires_at_ms);
  create index requests_by_box on requests (expires_at_ms, box_bytes) where box_bytes > 0;
  create index requests_by_device on requests (device_key) where device_key is not null;
  create index requests_by_approver on requests (approver_id) where approver_id is not null;
  create index requests_by_first_approver on requests (first_approver_id) where first_approver_id is not null;
  pragma user_version = ${SCHEMA_VERSION};`

const LIVE = 'id = :id and expires_at_ms > :nowMs'
const BY = '(:tenantId is null or tenant_id = :tenantId)'

const SQL = {
  create: `insert into requests (id, request, device_key, expires_at_ms, box, box_bytes)
    select :id, :request, :deviceKey, :expiresAtMs, :box, :boxBytes
    where (:boxBytes = 0 or :boxBytes + (select coalesce(sum(box_bytes), 0) from requests
      where box_bytes > 0 and expires_at_ms > :nowMs) <= :maxBoxBytes) and (select count(*) from (select 1 from requests where expires_at_ms > :nowMs limit :maxLive)) < :maxLive`,
  find: `select request, state, approval, approver_id, first, release_by, release_until_ms, returned, deposit, why_denied
    from requests where ${LIVE}`,
  box: `select box from requests where ${LIVE} and box is not null`,
  approveDeposit: `update requests set state = :next, deposit = :deposit, approver_id = :approverId,
      release_hash = :hash, release_by = :by, release_until_ms = :untilMs, release_wrong = 0, release_codes = 0
    where ${LIVE} and state = 'pending' and box is not null`,
  settleDeposit: `update requests set state = case when :applied is null then 'pending' else 'ready' end,
      applied = :applied, approver_id = null, returned = null, release_by = null, release_until_ms = null,
      deposit = case when :applied is null then null else deposit end,
      box = case when :applied is null then box end, box_bytes = case when :applied is null then box_bytes else 0 end
    where ${LIVE} and state = 'applying' and json_extract(deposit, '$.id') = :depositId`,
  ofDevice: `select request, state, approval, approver_id, first, release_by, release_until_ms, returned, deposit, why_denied
    from requests where device_key = :deviceKey and state = 'pending' and expires_at_ms > :nowMs
    order by expires_at_ms desc limit ${DEVICE_REQUESTS}`,
  hasExpired: `select 1 from requests
    where id = :id and expires_at_ms <= :nowMs and expires_at_ms > :nowMs - ${EXPIRED_KNOWN_MS}`,
  approve: `update requests set state = :next, ciphertext = :ciphertext, approval = :approval,
      approver_id = :approverId, tenant_id = :tenantId,
      first = coalesce(:first, first), first_approver_id = coalesce(:firstApproverId, first_approver_id),
      release_hash = :hash, release_by = :by, release_until_ms = :untilMs, release_wrong = 0, release_codes = 0
    where ${LIVE} and state = 'pending' and first_approver_id is :after`,
  release: `update requests set returned = release_by, release_hash = null,
      state = case when deposit is not null then 'applying' when ciphertext is null then 'pending' else 'ready' end,
      release_until_ms = case when deposit is null then release_until_ms else :nowMs + ${APPLY_MS} end
    where ${LIVE} and state = 'held' and release_hash = :hash and release_until_ms > :nowMs returning state`,
  countWrongRelease: `update requests set release_wrong = release_wrong + 1,
      ciphertext = case when release_wrong + 1 >= :limit then null else ciphertext end,
      state = case when release_wrong + 1 >= :limit then 'denied' else state end,
      box = case when release_wrong + 1 >= :limit then null else box end,
      box_bytes = case when release_wrong + 1 >= :limit then 0 else box_bytes end
    where ${LIVE} and state = 'held' and release_by = 'code' returning release_wrong, state`,
  renewCode: `update requests set release_hash = :hash, release_by = 'code', release_until_ms = :untilMs,
      release_wrong = 0, release_codes = release_codes + 1, approval = :approval
    where ${LIVE} and state = 'held' and approver_id = :approverId and release_codes < :limit`,
  deny: `update requests set state = 'denied', why_denied = :why, ciphertext = null, box = null, box_bytes = 0
    where ${LIVE} and state in ('pending', 'held')`,
  withdraw: `update requests set state = 'withdrawn', ciphertext = null, box = null, box_bytes = 0
    where ${LIVE} and (state in ('pending', 'held') or (deposit is null and state in ('ready', 'claimed')))`,
  countWrongCode: `update requests set wrong_codes = wrong_codes + 1,
      state = case when wrong_codes + 1 >= :limit then 'denied' else state end,
      box = case when wrong_codes + 1 >= :limit then null else box end,
      box_bytes = case when wrong_codes + 1 >= :limit then 0 else box_bytes end
    where ${LIVE} and state = 'pending' returning wrong_codes, state`,
  claim: `update requests set state = 'claimed'
    where ${LIVE} and state = 'ready' returning ciphertext, approval, applied`,
  unclaim: `update requests set state = 'ready' where ${LIVE} and state = 'claimed'`,
  remove: 'delete from requests where id = :id',
  removeApprovedBy: `delete from requests where (approver_id = :userId or first_approver_id = :userId)
    and state in ('held', 'ready') and ciphertext is not null and ${BY} returning id`,
  removeFirstBy: `update requests set state = 'pending', first = null, first_approver_id = null, approver_id = null,
      tenant_id = null, release_hash = null, returned = null
    where first_approver_id = :userId and state in ('pending', 'held') and ${BY} returning id`,
  empty: `update requests set request = '', device_key = null, ciphertext = null, approval = null, approver_id = null, tenant_id = null,
      first = null, first_approver_id = null, release_hash = null, box = null, box_bytes = 0, deposit = null, applied = null
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
    box: database.prepare(SQL.box),
    approveDeposit: database.prepare(SQL.approveDeposit),
    settleDeposit: database.prepare(SQL.settleDeposit),
    ofDevice: database.prepare(SQL.ofDevice),
    hasExpired: database.prepare(SQL.hasExpired),
    approve: database.prepare(SQL.approve),
    release: database.prepare(SQL.release),
    countWrongRelease: database.prepare(SQL.countWrongRelease),
    renewCode: database.prepare(SQL.renewCode),
    deny: database.prepare(SQL.deny),
    withdraw: database.prepare(SQL.withdraw),
    countWrongCode: database.prepare(SQL.countWrongCode),
    claim: database.prepare(SQL.claim),
    unclaim: database.prepare(SQL.unclaim),
    remove: database.prepare(SQL.remove),
    removeApprovedBy: database.prepare(SQL.removeApprovedBy),
    removeFirstBy: database.prepare(SQL.removeFirstBy),
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
