import { digestOf } from '@keyferry/crypto/digest'
import type { ColumnTypes } from '../schema/column.ts'

/** Indexes of tables that may be large: those that are made, each with the table and what follows its name in the
 * statement, and those that are dropped when these exist. */
export type Indexes = { made: Readonly<Record<string, string>>; dropped: readonly string[] }

/** Either statements, or indexes, which PostgreSQL makes while others write. `hash`: of the statements, when they are
 * no longer here. */
export type Migration = { name: string; hash?: string } & (
  | { statements: (types: ColumnTypes) => readonly string[] }
  | { indexes: Indexes }
)

/** What has changed since the first release, in order. A new database is made from the tables and runs no migration;
 * one of an earlier release runs those that it lacks. A migration, once released, never changes. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-initial',
    statements: () => [],
    hash: '87b6434103006464fc4feb2529f97a4290dbe7bc6daa2a4cc87ccbbaceb8fa25',
  },
  {
    name: '0002-waiting-events',
    statements: () => [
      'drop index events_tenant',
      'create index events_tenant on events (tenant_id, position, created_at) where refused_at is null',
    ],
  },
  {
    name: '0003-tenant-key-rotation',
    statements: ({ bytes }) =>
      ['next_key', 'old_key'].map((column) => `alter table tenants add column ${column} ${bytes}`),
  },
  {
    name: '0004-recorded-once',
    statements: ({ text, tableEnd }) => {
      const columns = ['tenant_id', 'key', 'at'].map((name) => `${name} ${text} not null`).join(', ')
      return [`create table recorded_once (${columns}, primary key (tenant_id, key)) ${tableEnd}`]
    },
  },
  {
    name: '0005-collections',
    indexes: {
      made: {
        keys_changed: 'keys (tenant_id, name, id, value_version, value_set_at) where value_version > 1',
        holdings_given: 'holdings (tenant_id, key_id, version, holder) where dismissed_at is null',
        deliveries_holder: 'deliveries (tenant_id, holder, created_at) where user_id is not null',
        deposits_end: 'deposits (ended_at) where ended_at is not null',
      },
      dropped: ['holdings_oldest', 'deliveries_open'],
    },
  },
  {
    name: '0006-requests',
    statements: ({ text, count, shortLived: { create, end } }) => [
      `${create} requests (id ${text} not null, request ${text} not null, state ${text} not null,
        version integer not null, payload ${text}, payload_bytes integer not null, device_key ${text},
        approvers ${text} not null, waits_in ${text}, expires_at_ms ${count} not null, primary key (id)) ${end}`,
      'create index requests_expiry on requests (expires_at_ms)',
      'create index requests_device on requests (device_key) where device_key is not null',
      'create index requests_waiting on requests (waits_in) where waits_in is not null',
    ],
  },
  {
    // The states of requests have another form, and a deposit's record answers its client.
    name: '0007-deposit-answers',
    statements: ({ text }) => [
      'delete from requests',
      `alter table deposits add column poll_challenge ${text}`,
      'drop table recorded_once',
    ],
  },
  {
    name: '0008-deposit-requests',
    indexes: { made: { deposits_request: 'deposits (request_hash)' }, dropped: [] },
  },
  {
    name: '0009-approval-keys',
    statements: ({ text, bytes, count, tableEnd }) => [
      `create table approval_keys (id ${text} not null, tenant_id ${text} not null, user_id ${text} not null,
        credential_id ${text} not null, public_key ${bytes} not null, key_hash ${text} not null,
        is_synced integer not null, aaguid ${text} not null, rp_id ${text} not null,
        state ${text} not null check (state in ('pending', 'waiting', 'active')), endorsed_by ${text},
        counts_from ${text}, confirmed_by ${text}, name ${text} not null, transports ${text} not null,
        counter ${count} not null, created_at ${text} not null, last_used_at ${text}, primary key (tenant_id, id),
        unique (tenant_id, credential_id), unique (tenant_id, key_hash),
        foreign key (tenant_id) references tenants (id) on delete cascade,
        foreign key (user_id) references users (id) on delete cascade) ${tableEnd}`,
      'create index approval_keys_user on approval_keys (user_id)',
      `create table touch_uses (nonce_hash ${text} not null, used_at ${text} not null, primary key (nonce_hash))
        ${tableEnd}`,
      'create index touch_uses_used on touch_uses (used_at)',
    ],
  },
  {
    name: '0010-requests-epoch',
    statements: ({ text, count, tableEnd, shortLived: { create, end } }) => [
      `${create} requests_epoch (slot integer not null, id ${text} not null, primary key (slot)) ${end}`,
      `create table ended_requests (request_hash ${text} not null, expires_at_ms ${count} not null,
        primary key (request_hash)) ${tableEnd}`,
      'create index ended_requests_expiry on ended_requests (expires_at_ms)',
    ],
  },
  {
    name: '0011-touch-rules',
    statements: ({ text }) =>
      ['bundle_policies', 'tenant_policies'].map((table) => `alter table ${table} add column touch ${text}`),
  },
  {
    name: '0014-touch-loosening',
    statements: ({ text }) =>
      ['bundle_policies', 'tenant_policies'].flatMap((table) =>
        ['to', 'by', 'at'].map((part) => `alter table ${table} add column loosens_${part} ${text}`),
      ),
  },
  {
    name: '0015-lasting-acts',
    statements: ({ text, tableEnd }) => [
      `create table lasting_acts (id ${text} not null, tenant_id ${text} not null, user_id ${text} not null,
        act ${text} not null, call_hash ${text} not null, concerns ${text} not null, created_at ${text} not null,
        counts_from ${text} not null, primary key (tenant_id, id), unique (tenant_id, call_hash, user_id),
        foreign key (tenant_id) references tenants (id) on delete cascade,
        foreign key (user_id) references users (id) on delete cascade) ${tableEnd}`,
      'create index lasting_acts_user on lasting_acts (user_id)',
      'create index lasting_acts_due on lasting_acts (counts_from)',
    ],
  },
  {
    name: '0016-fetch-days',
    statements: ({ text, tableEnd }) => [
      `create table fetch_days (tenant_id ${text} not null, bundle_id ${text} not null, machine_id ${text} not null,
        slot integer not null, day ${text} not null, fetches integer not null, last_at ${text} not null,
        primary key (tenant_id, bundle_id, machine_id, slot),
        foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade) ${tableEnd}`,
      'create index fetch_days_machine on fetch_days (tenant_id, machine_id, bundle_id, slot)',
    ],
  },
  {
    name: '0018-folder-rules',
    statements: ({ text, tableEnd }) => [
      `create table folder_policies (tenant_id ${text} not null, folder ${text} not null, assurance ${text},
        approvers ${text}, people ${text}, changers ${text}, approvals_needed integer, agents ${text},
        remember_hours integer, touch ${text}, loosens_to ${text}, loosens_by ${text}, loosens_at ${text},
        primary key (tenant_id, folder), foreign key (tenant_id) references tenants (id) on delete cascade)
        ${tableEnd}`,
    ],
  },
  {
    name: '0020-person-links',
    statements: ({ text, tableEnd }) => [
      `create table person_links (id ${text} not null, idp_user_id ${text} not null, user_id ${text} not null,
        from_user_id ${text}, state ${text} not null check (state in ('waiting', 'linked', 'undone')),
        deeds ${text} not null, created_at ${text} not null, counts_from ${text} not null, linked_at ${text},
        primary key (id), foreign key (user_id) references users (id) on delete cascade) ${tableEnd}`,
      'create index person_links_user on person_links (user_id)',
      'create index person_links_former on person_links (from_user_id)',
      "create unique index person_links_linked on person_links (idp_user_id) where state = 'linked'",
      'create index users_email on users (email_key)',
      `alter table invitations add column replaces ${text}`,
    ],
  },
  {
    name: '0021-limited-members',
    statements: ({ text }) => [
      `alter table memberships add column limited_to ${text}`,
      `alter table memberships add column limited_at ${text}`,
      `alter table invitations add column limited_to ${text}`,
    ],
  },
  {
    name: '0024-mails',
    statements: ({ text, tableEnd }) => [
      `create table mail_receivers (id ${text} not null, next_at ${text} not null, failures integer not null,
        claimed_until ${text} not null, claimed_by ${text}, primary key (id)) ${tableEnd}`,
      'create index mail_receivers_due on mail_receivers (next_at)',
      `create table mail_messages (id ${text} not null, address_key ${text} not null, kind ${text} not null,
        topic ${text} not null, tenant_id ${text} not null, user_id ${text}, made_by ${text}, facts ${text} not null,
        state ${text} not null check (state in ('waiting', 'sending', 'sent', 'dropped', 'refused')),
        not_before ${text} not null, give_up_at ${text} not null, attempts integer not null, last_error ${text},
        created_at ${text} not null, done_at ${text}, primary key (id),
        foreign key (address_key) references mail_receivers (id) on delete cascade,
        foreign key (tenant_id) references tenants (id) on delete cascade) ${tableEnd}`,
      "create index mail_messages_pending on mail_messages (address_key, not_before) where state in ('waiting', 'sending')",
      'create index mail_messages_receiver on mail_messages (address_key, kind, created_at)',
      'create index mail_messages_tenant on mail_messages (tenant_id, kind, created_at)',
      'create index mail_messages_inviter on mail_messages (made_by, kind, created_at) where made_by is not null',
      'create index mail_messages_done on mail_messages (done_at) where done_at is not null',
      `create table mail_choices (user_id ${text} not null, kind ${text} not null, primary key (user_id, kind),
        foreign key (user_id) references users (id) on delete cascade) ${tableEnd}`,
      `create table mail_expiries (tenant_id ${text} not null, key_id ${text} not null, expires_at ${text} not null,
        primary key (tenant_id, key_id, expires_at),
        foreign key (tenant_id) references tenants (id) on delete cascade) ${tableEnd}`,
    ],
  },
  {
    name: '0025-proven-addresses',
    statements: ({ text }) => [
      `alter table users add column proven_key ${text}`,
      `update users set proven_key = email_key where email_verified = 1 and
        (password_hash is null or id in (select user_id from account_setup))`,
    ],
  },
  {
    name: '0026-groups',
    statements: ({ text, tableEnd }) => [
      `create table member_groups (id ${text} not null, tenant_id ${text} not null, name ${text} not null,
        adds ${text} not null, primary key (tenant_id, id), unique (tenant_id, name),
        foreign key (tenant_id) references tenants (id) on delete cascade) ${tableEnd}`,
      `create table group_members (tenant_id ${text} not null, group_id ${text} not null, user_id ${text} not null,
        confirmed integer not null, primary key (tenant_id, group_id, user_id),
        foreign key (tenant_id, group_id) references member_groups (tenant_id, id) on delete cascade,
        foreign key (user_id, tenant_id) references memberships (user_id, tenant_id) on delete cascade) ${tableEnd}`,
      'create index group_members_user on group_members (user_id, tenant_id)',
      `alter table invitations add column group_ids ${text}`,
    ],
  },
  {
    name: '0030-row-seals',
    statements: ({ text, count, bytes }) => [
      `alter table tenants add column ruled ${text}`,
      'alter table bundles add column ruled integer',
      ...[
        'users',
        'person_links',
        'passkeys',
        'memberships',
        'invitations',
        'machines',
        'machine_grants',
        'machine_tokens',
        'machine_trusts',
        'attachments',
        'bundles',
        'grants',
        'tenants',
        'bundle_policies',
        'folder_policies',
        'tenant_policies',
        'member_groups',
        'group_members',
        'approval_keys',
        'lasting_acts',
      ].flatMap((table) => [
        `alter table ${table} add column row_version ${count}`,
        `alter table ${table} add column mac ${bytes}`,
      ]),
    ],
  },
  {
    // Rows without a MAC are invalid, so they go: clients and refused machines ask again.
    name: '0031-request-macs',
    statements: ({ text, count, bytes }) => [
      'delete from requests',
      'delete from requests_epoch',
      'delete from machine_attempts',
      `alter table machine_attempts add column row_version ${count}`,
      `alter table machine_attempts add column mac ${bytes}`,
      `alter table requests add column payload_hash ${text}`,
      `alter table requests add column mac ${bytes}`,
    ],
  },
  {
    name: '0032-epochs',
    statements: ({ count }) => [`alter table users add column epoch ${count}`],
  },
  {
    name: '0033-task-rules',
    statements: ({ text }) =>
      ['bundle_policies', 'folder_policies', 'tenant_policies'].map(
        (table) => `alter table ${table} add column tasks ${text}`,
      ),
  },
]

const ANY_DATABASE = {
  text: 'text',
  bytes: 'bytes',
  count: 'count',
  position: 'position',
  tableEnd: '',
  shortLived: { create: 'create table', end: '' },
}

/** The same for both databases. */
export function hashOf(migration: Migration): string {
  return migration.hash ?? digestOf(statementsOf(migration, ANY_DATABASE).join(';\n'))
}

/** What one transaction runs. */
export function statementsOf(migration: Migration, types: ColumnTypes): readonly string[] {
  if ('statements' in migration) return migration.statements(types)
  const { made, dropped } = migration.indexes
  const creations = Object.entries(made).map(([name, rows]) => `create index ${name} on ${rows}`)
  return [...creations, ...dropped.map((name) => `drop index ${name}`)]
}
