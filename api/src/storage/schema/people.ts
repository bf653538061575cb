import {
  bytes,
  count,
  deletedWith,
  oneOf,
  orNull,
  rowMac,
  type Schema,
  text,
  wholeOf,
  zeroOrOne,
} from './column.ts'

export const people = {
  users: {
    columns: {
      id: text,
      idp_user_id: text,
      username: text,
      email: text,
      /** The e-mail in lower case, for finding. */
      email_key: text,
      email_verified: zeroOrOne,
      /** When the identity provider stated this e-mail; null where none did. */
      email_as_of: orNull(text),
      auth_provider: text,
      password_hash: orNull(text),
      must_change_password: zeroOrOne,
      /** A sign-in with the password also asks for a passkey. */
      passkey_after_password: zeroOrOne,
      is_active: zeroOrOne,
      last_login: orNull(text),
      created_at: text,
      updated_at: text,
      /** The `email_key` that the person proved to read. Mails go only to it. */
      proven_key: orNull(text),
      ...rowMac,
      /** How often what the person's credentials gave has ended; null: never. */
      epoch: orNull(count),
    },
    rules: ['primary key (id)', 'unique (idp_user_id)', 'unique (username)'],
    indexes: { email: '(email_key)' },
    uniqueIndexes: { accounts: '(email_key) where password_hash is not null' },
  },

  /** Ways to sign in that are linked to a person. `from_user_id`: the person that the way was before. `deeds`: JSON,
   * for its undoing. */
  person_links: {
    columns: {
      id: text,
      idp_user_id: text,
      user_id: text,
      from_user_id: orNull(text),
      state: oneOf('linked', 'undone'),
      deeds: text,
      created_at: text,
      linked_at: text,
      ...rowMac,
    },
    rules: ['primary key (id)', deletedWith('users', 'user_id')],
    indexes: { user: '(user_id)', former: '(from_user_id)' },
    uniqueIndexes: { linked: "(idp_user_id) where state = 'linked'" },
  },

  tenants: {
    columns: {
      id: text,
      owner_id: text,
      name: text,
      wrapped_key: bytes,
      /** The root key that wrapped it. */
      root_key_id: text,
      created_at: text,
      updated_at: text,
      /** During a rotation: the key that will encrypt next, and the one that encrypted before. Both decrypt. */
      next_key: orNull(bytes),
      old_key: orNull(bytes),
      /** Where rules are, a line each (see set-rules.ts). */
      ruled: orNull(text),
      ...rowMac,
    },
    rules: ['primary key (id)', 'foreign key (owner_id) references users (id)'],
    indexes: { root_key: '(root_key_id, id)', owner: '(owner_id)' },
  },

  /** `public_key` is a blob of the crypto package, bound to the columns that decide what the key may sign. */
  approval_keys: {
    columns: {
      id: text,
      tenant_id: text,
      user_id: text,
      credential_id: text,
      public_key: bytes,
      /** Of the public key, so that none is in a workspace twice. */
      key_hash: text,
      is_synced: zeroOrOne,
      aaguid: text,
      rp_id: text,
      state: oneOf('pending', 'active'),
      confirmed_by: orNull(text),
      name: text,
      transports: text,
      counter: count,
      created_at: text,
      last_used_at: orNull(text),
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, id)',
      'unique (tenant_id, credential_id)',
      'unique (tenant_id, key_hash)',
      deletedWith('tenants', 'tenant_id'),
      deletedWith('users', 'user_id'),
    ],
    indexes: { user: '(user_id)' },
  },

  /** Touches that counted, for as long as they could be used again. */
  touch_uses: {
    columns: { nonce_hash: text, used_at: text },
    rules: ['primary key (nonce_hash)'],
    indexes: { used: '(used_at)' },
  },

  /** Acts that last and wait for another owner, or for a day. `concerns` is JSON. */
  lasting_acts: {
    columns: {
      id: text,
      tenant_id: text,
      user_id: text,
      act: text,
      call_hash: text,
      concerns: text,
      created_at: text,
      counts_from: text,
      ...rowMac,
    },
    rules: [
      'primary key (tenant_id, id)',
      'unique (tenant_id, call_hash, user_id)',
      deletedWith('tenants', 'tenant_id'),
      deletedWith('users', 'user_id'),
    ],
    indexes: { user: '(user_id)', due: '(counts_from)' },
  },

  memberships: {
    columns: {
      id: text,
      user_id: text,
      tenant_id: text,
      role: oneOf('owner', 'member'),
      created_at: text,
      /** What a member is limited to, with spaces between; null: to nothing. */
      limited_to: orNull(text),
      limited_at: orNull(text),
      ...rowMac,
    },
    rules: [
      'primary key (id)',
      'unique (user_id, tenant_id)',
      deletedWith('users', 'user_id'),
      deletedWith('tenants', 'tenant_id'),
    ],
    indexes: { tenant: '(tenant_id)' },
  },

  /** `adds`: what limited members see too, with spaces between; empty: nothing. */
  member_groups: {
    columns: { id: text, tenant_id: text, name: text, adds: text, ...rowMac },
    rules: ['primary key (tenant_id, id)', 'unique (tenant_id, name)', deletedWith('tenants', 'tenant_id')],
  },

  /** `confirmed`: 0 where only a claim of the identity provider says so; 2 where an owner took the person out. */
  group_members: {
    columns: { tenant_id: text, group_id: text, user_id: text, confirmed: wholeOf<0 | 1 | 2>(), ...rowMac },
    rules: [
      'primary key (tenant_id, group_id, user_id)',
      deletedWith('member_groups', 'tenant_id, group_id'),
      'foreign key (user_id, tenant_id) references memberships (user_id, tenant_id) on delete cascade',
    ],
    indexes: { user: '(user_id, tenant_id)' },
  },

  invitations: {
    columns: {
      id: text,
      tenant_id: text,
      email: text,
      email_key: text,
      role: oneOf('owner', 'member'),
      token_hash: text,
      created_by: text,
      created_at: text,
      expires_at: text,
      /** The member whose membership moves to who accepts. */
      replaces: orNull(text),
      limited_to: orNull(text),
      /** Ids of groups, with spaces between. */
      group_ids: orNull(text),
      ...rowMac,
    },
    rules: [
      'primary key (id)',
      'unique (token_hash)',
      'unique (tenant_id, email_key)',
      deletedWith('tenants', 'tenant_id'),
    ],
  },
} as const satisfies Schema
