import { sql } from 'kysely'
import {
  deletedWith,
  oneOf,
  orNull,
  rowMac,
  type Schema,
  text,
  whole,
  zeroOrOne,
} from '../../storage/schema/column.ts'

export const tables = {
  machines: {
    columns: {
      id: text,
      tenant_id: text,
      name: text,
      description: text,
      is_active: zeroOrOne,
      reads_audit: zeroOrOne,
      created_by: text,
      created_at: text,
      updated_at: text,
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, id)',
      'unique (id)',
      'unique (tenant_id, name)',
      deletedWith('tenants', 'tenant_id'),
    ],
  },

  machine_grants: {
    columns: {
      tenant_id: text,
      machine_id: text,
      bundle_id: text,
      scope: oneOf('read', 'deliver'),
      created_by: text,
      created_at: text,
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, machine_id, bundle_id)',
      deletedWith('machines', 'tenant_id, machine_id'),
      deletedWith('bundles', 'tenant_id, bundle_id'),
    ],
    indexes: { bundle: '(tenant_id, bundle_id)' },
  },

  /** `networks` is a JSON list. A rotation brings `expires_at` of the old token forward; `lifetime_seconds` stays. */
  machine_tokens: {
    columns: {
      id: text,
      tenant_id: text,
      machine_id: text,
      token_hash: text,
      hint: text,
      networks: text,
      created_by: text,
      created_at: text,
      lifetime_seconds: whole,
      expires_at: text,
      /** When the server announces that it expires; null after that, or if there is nothing to announce. */
      tell_at: orNull(text),
      ended_at: orNull(text),
      last_used_at: orNull(text),
      last_used_ip: orNull(text),
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, id)',
      'unique (token_hash)',
      deletedWith('machines', 'tenant_id, machine_id'),
    ],
    indexes: {
      machine: '(tenant_id, machine_id, created_at, id)',
      tell: '(tell_at) where tell_at is not null',
    },
  },

  /** `claims`, `issuer_keys` and `networks` are JSON; `issuer_keys` is null where discovery leads to the keys. */
  machine_trusts: {
    columns: {
      id: text,
      tenant_id: text,
      machine_id: text,
      issuer: text,
      audience: text,
      claims: text,
      issuer_keys: orNull(text),
      binding: oneOf('required', 'possible'),
      networks: text,
      max_age_seconds: orNull(whole),
      is_broad: zeroOrOne,
      created_by: text,
      created_at: text,
      last_used_at: orNull(text),
      last_used_ip: orNull(text),
      ...rowMac,
    },
    rules: ['primary key (tenant_id, id)', deletedWith('machines', 'tenant_id, machine_id')],
    indexes: { machine: '(tenant_id, machine_id, created_at, id)' },
  },

  /** A refused call whose ID token was verified. `claims` is JSON. */
  machine_attempts: {
    columns: {
      tenant_id: text,
      machine_id: text,
      fingerprint: text,
      issuer: text,
      claims: text,
      is_bound: zeroOrOne,
      reason: text,
      first_at: text,
      last_at: text,
      times: whole,
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, machine_id, fingerprint)',
      deletedWith('machines', 'tenant_id, machine_id'),
    ],
  },
} as const satisfies Schema

/** The tables whose rows give rights, and which columns decide nothing. */
export const macTables = {
  machines: { key: ['tenant_id', 'id'], free: ['description', 'created_by', 'created_at', 'updated_at'] },
  machine_grants: { key: ['tenant_id', 'machine_id', 'bundle_id'], free: ['created_by', 'created_at'] },
  machine_tokens: {
    key: ['tenant_id', 'id'],
    free: ['hint', 'created_by', 'created_at', 'tell_at', 'last_used_at', 'last_used_ip'],
  },
  machine_trusts: {
    key: ['tenant_id', 'id'],
    free: ['created_by', 'created_at', 'last_used_at', 'last_used_ip'],
  },
  machine_attempts: {
    key: ['tenant_id', 'machine_id', 'fingerprint'],
    free: ['reason', 'first_at', 'last_at', 'times'],
  },
} as const

/** Which rows a limited member sees. */
export const reached = {
  machine_grants: sql`exists (select 1 from bundles as reached where reached.id = bundle_id)`,
  machines: sql`exists (select 1 from machine_grants where machine_id = machines.id)`,
}

export const encrypted = [] as const
