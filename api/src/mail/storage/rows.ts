import type { MailKind, OwnMail } from '@keyferry/contract/mail'
import {
  deletedWith,
  oneOf,
  orNull,
  type RowsOf,
  type Schema,
  text,
  textOf,
  whole,
} from '../../storage/schema/column.ts'
import type { EncryptedTable } from '../../storage/schema/encrypted.ts'

export const tables = {
  /** Who gets mails; `id` is the address as it is compared. `next_at` and `claimed_until` are '' where nothing
   * delays mails. */
  mail_receivers: {
    columns: {
      id: text,
      next_at: text,
      failures: whole,
      claimed_until: text,
      claimed_by: orNull(text),
    },
    rules: ['primary key (id)'],
    indexes: { due: '(next_at)' },
  },

  /** `user_id`: null for an invited address. `facts` is JSON, without names or texts of secrets. */
  mail_messages: {
    columns: {
      id: text,
      address_key: text,
      kind: textOf<MailKind>(),
      topic: text,
      tenant_id: text,
      user_id: orNull(text),
      made_by: orNull(text),
      facts: text,
      state: oneOf('waiting', 'sending', 'sent', 'dropped', 'refused'),
      not_before: text,
      give_up_at: text,
      attempts: whole,
      last_error: orNull(text),
      created_at: text,
      done_at: orNull(text),
    },
    rules: [
      'primary key (id)',
      deletedWith('mail_receivers', 'address_key'),
      deletedWith('tenants', 'tenant_id'),
    ],
    indexes: {
      pending: "(address_key, not_before) where state in ('waiting', 'sending')",
      receiver: '(address_key, kind, created_at)',
      tenant: '(tenant_id, kind, created_at)',
      inviter: '(made_by, kind, created_at) where made_by is not null',
      done: '(done_at) where done_at is not null',
    },
  },

  /** Kinds that a person does not want. */
  mail_choices: {
    columns: { user_id: text, kind: textOf<OwnMail>() },
    rules: ['primary key (user_id, kind)', deletedWith('users', 'user_id')],
  },

  /** Dates of expiry that owners got a mail about. */
  mail_expiries: {
    columns: { tenant_id: text, key_id: text, expires_at: text },
    rules: ['primary key (tenant_id, key_id, expires_at)', deletedWith('tenants', 'tenant_id')],
  },
} as const satisfies Schema

export type MailRow = RowsOf<typeof tables>['mail_messages']

export const encrypted: readonly EncryptedTable[] = []

export const macTables = {}
export const reached = {}
