import {
  bytes,
  count,
  deletedWith,
  orNull,
  rowMac,
  type Schema,
  text,
  whole,
} from '../../storage/schema/column.ts'

export const tables = {
  /** `public_key` is a COSE key; `counter` is unsigned and has 32 bits. */
  passkeys: {
    columns: {
      id: text,
      user_id: text,
      credential_id: text,
      public_key: bytes,
      counter: count,
      name: text,
      created_at: text,
      last_used_at: orNull(text),
      ...rowMac,
    },
    rules: ['primary key (id)', 'unique (credential_id)', deletedWith('users', 'user_id')],
    indexes: { user: '(user_id)' },
  },

  /** Attempts of every e-mail that was tried, so that a lock does not show which of them have an account. */
  login_attempts: {
    columns: { email_key: text, failed: whole, locked_until: orNull(text), forgotten_at: text },
    rules: ['primary key (email_key)'],
    indexes: { forgotten: '(forgotten_at)' },
  },

  /** At most one row: the first account. */
  account_setup: {
    columns: { slot: whole, user_id: text },
    rules: ['primary key (slot)', 'check (slot = 1)'],
  },
} as const satisfies Schema

export const macTables = {
  passkeys: { key: ['id'], free: ['counter', 'name', 'created_at', 'last_used_at'] },
} as const

export const reached = {}
export const encrypted = [] as const
