import { bytes, orNull, type Schema, text, whole } from './column.ts'

export const serverKeys = {
  /** A root key that may be in use; `proof` opens under it and no other. */
  root_keys: {
    columns: { id: text, proof: bytes, created_at: text },
    rules: ['primary key (id)'],
  },

  /** `name` is the name under which the key signs; `wrapped_key` contains the seed. */
  audit_keys: {
    columns: {
      id: text,
      name: text,
      public_key: bytes,
      wrapped_key: bytes,
      root_key_id: text,
      created_at: text,
    },
    rules: ['primary key (id)'],
  },

  /** Signs receipts. `serial` counts up; `wrapped_key` contains the seed; `endorsement` is the signature of the key
   * before. */
  receipt_keys: {
    columns: {
      id: text,
      serial: whole,
      wrapped_key: bytes,
      root_key_id: text,
      endorsed_by: orNull(text),
      endorsement: orNull(text),
      created_at: text,
    },
    rules: ['primary key (id)', 'unique (serial)'],
  },

  /** Opens deposits. `serial` counts up; `wrapped_key` contains the secret half. */
  deposit_keys: {
    columns: { id: text, serial: whole, wrapped_key: bytes, root_key_id: text, created_at: text },
    rules: ['primary key (id)', 'unique (serial)'],
  },
} as const satisfies Schema
