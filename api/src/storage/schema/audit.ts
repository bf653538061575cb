import { bytes, orNull, position, type Schema, text, whole } from './column.ts'

// These tables do not refer to tenants: what happened stays even if a row elsewhere is deleted.
export const audit = {
  /** The outbox: events that are not numbered yet. */
  events: {
    columns: {
      position,
      tenant_id: text,
      body: text,
      origin: orNull(text),
      mac: bytes,
      created_at: text,
      /** When an append found that no server wrote the row; null for all others. */
      refused_at: orNull(text),
    },
    rules: [],
    indexes: {
      // Includes the time, so that a count of waiting events reads only the index.
      tenant: '(tenant_id, position, created_at) where refused_at is null',
      refused: '(tenant_id, position) where refused_at is not null',
    },
  },

  /** The log: `body` is the exact text that `hash` covers; the last four columns repeat what is in it, for finding. */
  audit_log: {
    columns: {
      tenant_id: text,
      seq: whole,
      hash: text,
      body: text,
      origin: orNull(text),
      at: text,
      action: text,
      actor_id: orNull(text),
      target_id: text,
    },
    rules: ['primary key (tenant_id, seq)'],
    indexes: {
      target: '(tenant_id, target_id, seq)',
      actor: '(tenant_id, actor_id, seq)',
      action: '(tenant_id, action, seq)',
      at: '(tenant_id, at, seq)',
    },
  },

  /** The newest entry of each tenant. `first_seq` is the oldest entry kept, and `first_prev` the hash before it. */
  audit_heads: {
    columns: { tenant_id: text, seq: whole, hash: text, first_seq: whole, first_prev: text, epoch: whole },
    rules: ['primary key (tenant_id)'],
  },

  /** The last checkpoint of each UTC day. */
  audit_seals: {
    columns: { tenant_id: text, day: text, seq: whole, hash: text, sealed_at: text, note: text },
    rules: ['primary key (tenant_id, day)'],
  },
} as const satisfies Schema
