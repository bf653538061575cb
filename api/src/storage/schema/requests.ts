import { bytes, count, orNull, type Schema, text, whole } from './column.ts'

export const requests = {
  /** `request` and `state` are JSON; both are empty once the request has expired. `payload` is the box of a deposit, or
   * what was sealed to the client. `mac`: of the columns that decide, see request-macs.ts. `approvers` contains the ids
   * of who approved or vouched. No index has a column that an approval or a collection changes, so PostgreSQL writes
   * these changes into the same page. */
  requests: {
    columns: {
      id: text,
      request: text,
      state: text,
      version: whole,
      payload: orNull(text),
      payload_bytes: whole,
      device_key: orNull(text),
      approvers: text,
      waits_in: orNull(text),
      expires_at_ms: count,
      payload_hash: orNull(text),
      mac: orNull(bytes),
    },
    rules: ['primary key (id)'],
    isShortLived: true,
    indexes: {
      expiry: '(expires_at_ms)',
      device: '(device_key) where device_key is not null',
      waiting: '(waits_in) where waits_in is not null',
    },
  },
  /** One row, which PostgreSQL loses in a crash together with `requests`: a request of another epoch is lost. */
  requests_epoch: {
    columns: { slot: whole, id: text },
    rules: ['primary key (slot)'],
    isShortLived: true,
  },
  /** Denied and withdrawn requests until they would have expired, also after a crash: no client asks for them again. */
  ended_requests: {
    columns: { request_hash: text, expires_at_ms: count },
    rules: ['primary key (request_hash)'],
    indexes: { expiry: '(expires_at_ms)' },
  },
} as const satisfies Schema
