import type { Production } from '@keyferry/contract'
import type { GrantEnd } from '../../domain/approvals/grant.ts'
import type { PolicySetting } from '../../domain/approvals/policy.ts'
import {
  bytes,
  type Column,
  deletedWith,
  orNull,
  rowMac,
  type Schema,
  text,
  textOf,
  whole,
  wholeOf,
  zeroOrOne,
} from './column.ts'

// null: the place sets no such rule.
const policy: {
  [Rule in Exclude<keyof PolicySetting, 'people' | 'named'>]: Column<PolicySetting[Rule]>
} & { people: Column<string | null> } = {
  assurance: orNull(textOf()),
  approvers: orNull(textOf()),
  /** Ids of users and groups with spaces between them. */
  people: orNull(text),
  changers: orNull(textOf()),
  approvals_needed: orNull(wholeOf<1 | 2>()),
  agents: orNull(textOf()),
  remember_hours: orNull(whole),
  tasks: orNull(textOf()),
  touch: orNull(textOf()),
}

export const bundles = {
  bundles: {
    columns: {
      id: text,
      tenant_id: text,
      name: text,
      description: text,
      /** Trimmed, without duplicates, joined by commas. */
      tags: text,
      production: textOf<Production>(),
      created_by: text,
      created_at: text,
      updated_at: text,
      updated_by: text,
      /** 1: it has rules of its own. */
      ruled: orNull(whole),
      ...rowMac,
    },
    rules: [
      'primary key (id)',
      'unique (tenant_id, id)',
      'unique (tenant_id, name)',
      deletedWith('tenants', 'tenant_id'),
    ],
  },

  /** What a place sets. `place`: the workspace, a folder (how the names of its bundles begin, with the slash at the
   * end), what a key kept (`keyPlace`), or the id of a bundle, which is then in `bundle_id` too. */
  policies: {
    columns: { tenant_id: text, place: text, bundle_id: orNull(text), ...policy, ...rowMac },
    rules: [
      'primary key (tenant_id, place)',
      'check (bundle_id = place)',
      deletedWith('tenants', 'tenant_id'),
      deletedWith('bundles', 'tenant_id, bundle_id'),
    ],
    indexes: { bundle: '(tenant_id, bundle_id)' },
  },

  /** Approvals that a terminal may repeat. One that ended is kept for a week: the terminal
   * learns why (`ended`), and one that only expired makes it known.
   * `argv`, `use`, `label`, `keys`, `left_out` and `asked`
   * are JSON. */
  grants: {
    columns: {
      tenant_id: text,
      id: text,
      bundle_id: text,
      user_id: text,
      device_key: text,
      argv: text,
      argv_masked: orNull(text),
      cwd: text,
      agent: orNull(text),
      use: orNull(text),
      label: text,
      keys: text,
      left_out: text,
      asked: text,
      bundle_names: text,
      hours: whole,
      uses: whole,
      created_at: text,
      expires_at: text,
      last_used_at: orNull(text),
      ended: orNull(textOf<GrantEnd>()),
      ...rowMac,
    },
    rules: ['primary key (tenant_id, id)', deletedWith('bundles', 'tenant_id, bundle_id')],
    indexes: {
      device: '(device_key, created_at)',
      user: '(user_id) where ended is null',
      bundle: '(tenant_id, bundle_id)',
      expiry: '(expires_at)',
    },
  },

  attachments: {
    columns: {
      bundle_id: text,
      key_id: text,
      tenant_id: text,
      /** The variable's name in this bundle; unique within a bundle. */
      delivered_name: text,
      /** Dense within a bundle: 0 to n-1. */
      position: whole,
      required: zeroOrOne,
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, bundle_id, key_id)',
      'unique (tenant_id, bundle_id, delivered_name)',
      deletedWith('bundles', 'tenant_id, bundle_id'),
      deletedWith('keys', 'tenant_id, key_id'),
    ],
    indexes: { name: '(tenant_id, delivered_name)' },
    uniqueIndexes: { key: '(tenant_id, key_id, bundle_id)' },
  },

  legacy_items: {
    columns: {
      id: text,
      bundle_id: text,
      tenant_id: text,
      name: text,
      value: bytes,
      value_version: whole,
      is_secret: zeroOrOne,
      created_at: text,
      updated_at: text,
    },
    rules: [
      'primary key (tenant_id, id)',
      'unique (tenant_id, bundle_id, name)',
      deletedWith('bundles', 'tenant_id, bundle_id'),
    ],
  },
} as const satisfies Schema
