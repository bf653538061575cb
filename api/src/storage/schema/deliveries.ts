import type { DeliveryKind, DeliveryState } from '../../domain/deliveries/delivery.ts'
import type { Proposal } from '../../domain/transfer/proposal.ts'
import { bytes, deletedWith, orNull, PROGRAM, type Schema, text, textOf, whole } from './column.ts'

export const deliveries = {
  /** A delivery to a program names it and, in `proof_id`, the token that proved it; all others have a
   * `request_id` and a `user_id`. `label` and `versions` are JSON; `label` is null once the person is forgotten. */
  deliveries: {
    columns: {
      tenant_id: text,
      id: text,
      kind: textOf<DeliveryKind>(),
      state: textOf<Exclude<DeliveryState, 'held'>>(),
      request_id: orNull(text),
      /** Until when the approval may return to the terminal; null: it returned, or it need not. */
      held_until: orNull(text),
      bundle_id: text,
      bundle_name: text,
      /** The approver. */
      user_id: orNull(text),
      /** Whose terminal it is, where that is not the approver's. */
      voucher_id: orNull(text),
      [PROGRAM]: orNull(text),
      proof_id: orNull(text),
      holder: text,
      label: orNull(text),
      via: orNull(text),
      versions: text,
      created_at: text,
      collected_at: orNull(text),
    },
    rules: ['primary key (tenant_id, id)', deletedWith('tenants', 'tenant_id')],
    indexes: {
      time: '(tenant_id, created_at, id)',
      bundle: '(tenant_id, bundle_id, created_at, id)',
      user: '(tenant_id, user_id, created_at, id) where user_id is not null',
      machine: `(tenant_id, ${PROGRAM}, created_at, id) where ${PROGRAM} is not null`,
      // Without the state, or PostgreSQL would write all indexes at each collection.
      holder: '(tenant_id, holder, created_at) where user_id is not null',
      held: '(held_until) where held_until is not null',
    },
  },

  /** How often a bundle's values were fetched on each of the last 30 days, whatever is still known of the deliveries.
   * Each day has a `slot`, which is reused 30 days later. The program is empty for people. */
  fetch_days: {
    columns: {
      tenant_id: text,
      bundle_id: text,
      [PROGRAM]: text,
      slot: whole,
      day: text,
      fetches: whole,
      last_at: text,
    },
    rules: [
      `primary key (tenant_id, bundle_id, ${PROGRAM}, slot)`,
      deletedWith('bundles', 'tenant_id, bundle_id'),
    ],
    indexes: { machine: `(tenant_id, ${PROGRAM}, bundle_id, slot)` },
  },

  /** A deposit that was approved. `open_until`: while it can still be stored; null once it has ended. */
  deposits: {
    columns: {
      tenant_id: text,
      id: text,
      state: textOf<'approved' | 'applied' | 'void'>(),
      open_until: orNull(text),
      /** How its approval has to return to the terminal; null: it has not. */
      held_by: orNull(text),
      /** SHA-256 of the request's id. */
      request_hash: text,
      bundle_name: text,
      user_id: text,
      /** The answer to the client: what was stored; null until then. */
      applied: orNull(text),
      created_at: text,
      ended_at: orNull(text),
      /** Proves which client may have the answer. */
      poll_challenge: orNull(text),
    },
    rules: ['primary key (tenant_id, id)', deletedWith('tenants', 'tenant_id')],
    indexes: {
      open: '(open_until) where open_until is not null',
      end: '(ended_at) where ended_at is not null',
      request: '(request_hash)',
    },
  },

  /** A deposit that waits for an owner. `entries`, `detach` and `sender` are JSON. `value` has the values of the
   * entries as JSON, encrypted and bound to all that an owner sees (proposal-values.ts); it is null once the proposal
   * has ended, and `sender` too. */
  proposals: {
    columns: {
      tenant_id: text,
      id: text,
      state: textOf<Proposal['state']>(),
      user_id: text,
      /** Null for a bundle that did not exist. */
      bundle_id: orNull(text),
      bundle_name: text,
      entries: text,
      detach: text,
      sender: orNull(text),
      value: orNull(bytes),
      created_at: text,
      expires_at: text,
      ended_at: orNull(text),
    },
    rules: ['primary key (tenant_id, id)', deletedWith('tenants', 'tenant_id')],
    indexes: {
      time: '(tenant_id, created_at, id)',
      open: "(tenant_id, user_id) where state = 'open'",
      expiry: "(expires_at) where state = 'open'",
      end: '(ended_at) where ended_at is not null',
    },
  },
} as const satisfies Schema
