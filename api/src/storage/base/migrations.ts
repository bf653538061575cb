import { digestOf } from '@keyferry/crypto/digest'
import type { ColumnTypes } from '../schema/column.ts'

/** `hash`: of the statements, when they are no longer here. */
export type Migration = {
  name: string
  statements: (types: ColumnTypes) => readonly string[]
  hash?: string
}

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
    name: '0005-changed-keys',
    statements: () => [
      'create index keys_changed on keys (tenant_id, name, id, value_version, value_set_at) where value_version > 1',
    ],
  },
  {
    name: '0006-collections',
    statements: () => [
      'drop index holdings_oldest',
      'create index holdings_given on holdings (tenant_id, key_id, version, holder) where dismissed_at is null',
      'drop index deliveries_open',
      'create index deliveries_holder on deliveries (tenant_id, holder, created_at) where user_id is not null',
      'create index deposits_end on deposits (ended_at) where ended_at is not null',
    ],
  },
]

const ANY_DATABASE = { text: 'text', bytes: 'bytes', count: 'count', position: 'position', tableEnd: '' }

/** The same for both databases. */
export function hashOf({ statements, hash }: Migration): string {
  return hash ?? digestOf(statements(ANY_DATABASE).join(';\n'))
}
