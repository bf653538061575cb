import type { ValueHow } from '../../domain/library/key.ts'
import { bytes, deletedWith, orNull, PROGRAM, type Schema, text, textOf, whole, zeroOrOne } from './column.ts'

export const keys = {
  keys: {
    columns: {
      id: text,
      tenant_id: text,
      name: text,
      value: bytes,
      value_version: whole,
      is_secret: zeroOrOne,
      description: text,
      created_by: text,
      created_at: text,
      updated_at: text,
      updated_by: text,
      value_set_at: text,
      /** A user's id. */
      value_set_by: text,
      /** Of a value that an owner stored for another person, or a member promoted unseen: the id of who typed it. */
      value_proposed_by: orNull(text),
      /** Of a moved value: when it last changed on the other server, as the moved file says. */
      value_changed_elsewhere_at: orNull(text),
      value_how: textOf<ValueHow>(),
      value_restored_from: orNull(whole),
      /** 1 if the key was ever secret while it had this value. */
      value_was_secret: zeroOrOne,
      /** Of a composed value, the names of its parts, once for each use, separated by spaces; else null. */
      template_parts: orNull(text),
      expires_at: orNull(text),
      rotate_after_days: orNull(whole),
      /** `rotate_after_days` after the value last changed, here or elsewhere. */
      rotate_at: orNull(text),
    },
    rules: ['primary key (tenant_id, id)', 'unique (tenant_id, name)', deletedWith('tenants', 'tenant_id')],
    indexes: {
      expiry: '(tenant_id, expires_at) where expires_at is not null',
      rotation: '(tenant_id, rotate_at) where rotate_at is not null',
      changed: '(tenant_id, name, id, value_version, value_set_at) where value_version > 1',
      setter: '(tenant_id, value_set_by, value_set_at)',
    },
  },

  /** Values that were replaced; the current one stays in `keys`, so that no read of a key gets slower. The blob is
   * bound to `name`, `is_secret`, `template_parts` and `version`; `value` is null once it is destroyed. */
  key_versions: {
    columns: {
      tenant_id: text,
      key_id: text,
      version: whole,
      name: text,
      is_secret: zeroOrOne,
      template_parts: orNull(text),
      value: orNull(bytes),
      was_secret: zeroOrOne,
      set_at: text,
      set_by: text,
      proposed_by: orNull(text),
      changed_elsewhere_at: orNull(text),
      how: textOf<ValueHow>(),
      restored_from: orNull(whole),
      replaced_at: text,
      destroyed_at: orNull(text),
      destroyed_by: orNull(text),
    },
    rules: ['primary key (tenant_id, key_id, version)', deletedWith('keys', 'tenant_id, key_id')],
  },

  /** What a holder has of a key: `version` by a confirmed delivery, `perhaps_version` by one that is not confirmed. */
  holdings: {
    columns: {
      tenant_id: text,
      key_id: text,
      holder: text,
      /** One of the two is null: a person or a program holds the value. */
      user_id: orNull(text),
      [PROGRAM]: orNull(text),
      version: orNull(whole),
      delivery_id: orNull(text),
      perhaps_version: orNull(whole),
      perhaps_delivery_id: orNull(text),
      /** When the newest of the confirmed deliveries was approved. */
      settled_at: orNull(text),
      first_at: text,
      last_at: text,
      times: whole,
      dismissed_at: orNull(text),
    },
    rules: ['primary key (tenant_id, key_id, holder)', deletedWith('keys', 'tenant_id, key_id')],
    indexes: {
      // No column that changes when the same version is delivered again: then PostgreSQL would write all indexes.
      given: '(tenant_id, key_id, version, holder) where dismissed_at is null',
      user: '(tenant_id, user_id, key_id, holder) where dismissed_at is null and user_id is not null',
      machine: `(tenant_id, ${PROGRAM}, key_id, holder) where dismissed_at is null and ${PROGRAM} is not null`,
    },
  },
} as const satisfies Schema
