import type { ColumnTypes } from '../queries.ts'

/** Everything of the first version. */
export const initial = ({ text, bytes, count, position, tableEnd }: ColumnTypes): readonly string[] => [
  `create table users (
    id ${text} primary key,
    idp_user_id ${text} not null unique,
    username ${text} not null unique,
    email ${text} not null,
    email_key ${text} not null,
    email_verified integer not null,
    email_as_of ${text},
    auth_provider ${text} not null,
    password_hash ${text},
    must_change_password integer not null,
    passkey_after_password integer not null,
    is_active integer not null,
    last_login ${text},
    created_at ${text} not null,
    updated_at ${text} not null
  ) ${tableEnd}`,
  'create unique index users_accounts on users (email_key) where password_hash is not null',

  `create table passkeys (
    id ${text} primary key,
    user_id ${text} not null references users (id) on delete cascade,
    credential_id ${text} not null unique,
    public_key ${bytes} not null,
    counter ${count} not null,
    name ${text} not null,
    created_at ${text} not null,
    last_used_at ${text}
  ) ${tableEnd}`,
  'create index passkeys_user on passkeys (user_id)',

  // Attempts of every e-mail that was tried, so that a lock does not tell which of them have an account.
  `create table login_attempts (
    email_key ${text} primary key,
    failed integer not null,
    locked_until ${text},
    forgotten_at ${text} not null
  ) ${tableEnd}`,
  'create index login_attempts_forgotten on login_attempts (forgotten_at)',

  // At most one row: the first account.
  `create table account_setup (slot integer primary key check (slot = 1), user_id ${text} not null) ${tableEnd}`,

  `create table tenants (
    id ${text} primary key,
    owner_id ${text} not null references users (id),
    name ${text} not null,
    wrapped_key ${bytes} not null,
    root_key_id ${text} not null,
    created_at ${text} not null,
    updated_at ${text} not null
  ) ${tableEnd}`,
  'create index tenants_root_key on tenants (root_key_id, id)',
  'create index tenants_owner on tenants (owner_id)',

  `create table memberships (
    id ${text} primary key,
    user_id ${text} not null references users (id) on delete cascade,
    tenant_id ${text} not null references tenants (id) on delete cascade,
    role ${text} not null check (role in ('owner', 'member')),
    created_at ${text} not null,
    unique (user_id, tenant_id)
  ) ${tableEnd}`,
  'create index memberships_tenant on memberships (tenant_id)',

  // Indexes begin with the tenant, so a search reads only rows of that tenant.
  `create table bundles (
    id ${text} primary key,
    tenant_id ${text} not null references tenants (id) on delete cascade,
    name ${text} not null,
    description ${text} not null,
    tags ${text} not null,
    created_by ${text} not null,
    created_at ${text} not null,
    updated_at ${text} not null,
    updated_by ${text} not null,
    unique (tenant_id, id),
    unique (tenant_id, name)
  ) ${tableEnd}`,

  // What an approval of a bundle takes; null: nothing is set.
  `create table bundle_policies (
    tenant_id ${text} not null,
    bundle_id ${text} not null,
    assurance ${text},
    approvers ${text},
    approvals_needed integer,
    agents ${text},
    remember_hours integer,
    primary key (tenant_id, bundle_id),
    foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade
  ) ${tableEnd}`,

  // Approvals that a terminal may repeat. One that ended is kept for a day, so that the terminal learns why.
  `create table grants (
    tenant_id ${text} not null,
    id ${text} not null,
    bundle_id ${text} not null,
    user_id ${text} not null,
    device_key ${text} not null,
    argv ${text} not null,
    argv_masked ${text},
    cwd ${text} not null,
    agent ${text},
    label ${text} not null,
    keys ${text} not null,
    left_out ${text} not null,
    asked ${text} not null,
    bundle_names ${text} not null,
    hours integer not null,
    uses integer not null,
    created_at ${text} not null,
    expires_at ${text} not null,
    last_used_at ${text},
    ended ${text},
    primary key (tenant_id, id),
    foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  'create index grants_device on grants (device_key, created_at)',
  'create index grants_user on grants (user_id) where ended is null',
  'create index grants_bundle on grants (tenant_id, bundle_id)',
  'create index grants_expiry on grants (expires_at)',

  `create table tenant_policies (
    tenant_id ${text} primary key references tenants (id) on delete cascade,
    assurance ${text},
    approvers ${text},
    approvals_needed integer,
    agents ${text},
    remember_hours integer
  ) ${tableEnd}`,

  `create table keys (
    id ${text} not null,
    tenant_id ${text} not null references tenants (id) on delete cascade,
    name ${text} not null,
    value ${bytes} not null,
    value_version integer not null,
    is_secret integer not null,
    description ${text} not null,
    created_by ${text} not null,
    created_at ${text} not null,
    updated_at ${text} not null,
    updated_by ${text} not null,
    value_set_at ${text} not null,
    value_set_by ${text} not null,
    value_changed_elsewhere_at ${text},
    value_how ${text} not null,
    value_restored_from integer,
    value_was_secret integer not null,
    template_parts ${text},
    expires_at ${text},
    rotate_after_days integer,
    rotate_at ${text},
    primary key (tenant_id, id),
    unique (tenant_id, name)
  ) ${tableEnd}`,
  'create index keys_expiry on keys (tenant_id, expires_at) where expires_at is not null',
  'create index keys_rotation on keys (tenant_id, rotate_at) where rotate_at is not null',

  // Values that were replaced. The current one stays in keys, so that no read of a key gets slower.
  `create table key_versions (
    tenant_id ${text} not null,
    key_id ${text} not null,
    version integer not null,
    name ${text} not null,
    is_secret integer not null,
    template_parts ${text},
    value ${bytes},
    was_secret integer not null,
    set_at ${text} not null,
    set_by ${text} not null,
    changed_elsewhere_at ${text},
    how ${text} not null,
    restored_from integer,
    replaced_at ${text} not null,
    destroyed_at ${text},
    destroyed_by ${text},
    primary key (tenant_id, key_id, version),
    foreign key (tenant_id, key_id) references keys (tenant_id, id) on delete cascade
  ) ${tableEnd}`,

  `create table deliveries (
    tenant_id ${text} not null references tenants (id) on delete cascade,
    id ${text} not null,
    kind ${text} not null,
    state ${text} not null,
    request_id ${text},
    held_until ${text},
    bundle_id ${text} not null,
    bundle_name ${text} not null,
    user_id ${text},
    machine_id ${text},
    proof_id ${text},
    holder ${text} not null,
    label ${text},
    via ${text},
    versions ${text} not null,
    created_at ${text} not null,
    collected_at ${text},
    primary key (tenant_id, id)
  ) ${tableEnd}`,
  'create index deliveries_time on deliveries (tenant_id, created_at, id)',
  'create index deliveries_bundle on deliveries (tenant_id, bundle_id, created_at, id)',
  'create index deliveries_user on deliveries (tenant_id, user_id, created_at, id) where user_id is not null',
  `create index deliveries_machine on deliveries (tenant_id, machine_id, created_at, id)
    where machine_id is not null`,
  "create index deliveries_open on deliveries (tenant_id, holder, created_at) where state = 'approved'",

  'create index deliveries_held on deliveries (held_until) where held_until is not null',

  `create table deposits (
    tenant_id ${text} not null references tenants (id) on delete cascade,
    id ${text} not null,
    state ${text} not null,
    open_until ${text},
    held_by ${text},
    request_hash ${text} not null,
    bundle_name ${text} not null,
    user_id ${text} not null,
    applied ${text},
    created_at ${text} not null,
    ended_at ${text},
    primary key (tenant_id, id)
  ) ${tableEnd}`,
  'create index deposits_open on deposits (open_until) where open_until is not null',

  `create table holdings (
    tenant_id ${text} not null,
    key_id ${text} not null,
    holder ${text} not null,
    user_id ${text},
    machine_id ${text},
    version integer,
    delivery_id ${text},
    perhaps_version integer,
    perhaps_delivery_id ${text},
    settled_at ${text},
    first_at ${text} not null,
    last_at ${text} not null,
    times integer not null,
    dismissed_at ${text},
    primary key (tenant_id, key_id, holder),
    foreign key (tenant_id, key_id) references keys (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  `create index holdings_oldest on holdings (tenant_id, key_id, (coalesce(version, perhaps_version)), holder)
    where dismissed_at is null`,
  `create index holdings_user on holdings (tenant_id, user_id, key_id, holder)
    where dismissed_at is null and user_id is not null`,
  `create index holdings_machine on holdings (tenant_id, machine_id, key_id, holder)
    where dismissed_at is null and machine_id is not null`,

  `create table attachments (
    bundle_id ${text} not null,
    key_id ${text} not null,
    tenant_id ${text} not null,
    delivered_name ${text} not null,
    position integer not null,
    required integer not null,
    primary key (tenant_id, bundle_id, key_id),
    unique (tenant_id, bundle_id, delivered_name),
    foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade,
    foreign key (tenant_id, key_id) references keys (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  'create index attachments_name on attachments (tenant_id, delivered_name)',
  'create unique index attachments_key on attachments (tenant_id, key_id, bundle_id)',

  `create table legacy_items (
    id ${text} not null,
    bundle_id ${text} not null,
    tenant_id ${text} not null,
    name ${text} not null,
    value ${bytes} not null,
    value_version integer not null,
    is_secret integer not null,
    created_at ${text} not null,
    updated_at ${text} not null,
    primary key (tenant_id, id),
    unique (tenant_id, bundle_id, name),
    foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade
  ) ${tableEnd}`,

  `create table invitations (
    id ${text} primary key,
    tenant_id ${text} not null references tenants (id) on delete cascade,
    email ${text} not null,
    email_key ${text} not null,
    role ${text} not null check (role in ('owner', 'member')),
    token_hash ${text} not null unique,
    created_by ${text} not null,
    created_at ${text} not null,
    expires_at ${text} not null,
    unique (tenant_id, email_key)
  ) ${tableEnd}`,

  `create table machines (
    id ${text} not null unique,
    tenant_id ${text} not null references tenants (id) on delete cascade,
    name ${text} not null,
    description ${text} not null,
    is_active integer not null,
    reads_audit integer not null,
    created_by ${text} not null,
    created_at ${text} not null,
    updated_at ${text} not null,
    primary key (tenant_id, id),
    unique (tenant_id, name)
  ) ${tableEnd}`,

  `create table machine_grants (
    tenant_id ${text} not null,
    machine_id ${text} not null,
    bundle_id ${text} not null,
    scope ${text} not null check (scope in ('read', 'deliver')),
    created_by ${text} not null,
    created_at ${text} not null,
    primary key (tenant_id, machine_id, bundle_id),
    foreign key (tenant_id, machine_id) references machines (tenant_id, id) on delete cascade,
    foreign key (tenant_id, bundle_id) references bundles (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  'create index machine_grants_bundle on machine_grants (tenant_id, bundle_id)',

  `create table machine_tokens (
    id ${text} not null,
    tenant_id ${text} not null,
    machine_id ${text} not null,
    token_hash ${text} not null unique,
    hint ${text} not null,
    networks ${text} not null,
    created_by ${text} not null,
    created_at ${text} not null,
    lifetime_seconds integer not null,
    expires_at ${text} not null,
    tell_at ${text},
    ended_at ${text},
    last_used_at ${text},
    last_used_ip ${text},
    primary key (tenant_id, id),
    foreign key (tenant_id, machine_id) references machines (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  'create index machine_tokens_machine on machine_tokens (tenant_id, machine_id, created_at, id)',
  'create index machine_tokens_tell on machine_tokens (tell_at) where tell_at is not null',

  `create table machine_trusts (
    id ${text} not null,
    tenant_id ${text} not null,
    machine_id ${text} not null,
    issuer ${text} not null,
    audience ${text} not null,
    claims ${text} not null,
    issuer_keys ${text},
    binding ${text} not null check (binding in ('required', 'possible')),
    networks ${text} not null,
    max_age_seconds integer,
    is_broad integer not null,
    created_by ${text} not null,
    created_at ${text} not null,
    last_used_at ${text},
    last_used_ip ${text},
    primary key (tenant_id, id),
    foreign key (tenant_id, machine_id) references machines (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  'create index machine_trusts_machine on machine_trusts (tenant_id, machine_id, created_at, id)',

  `create table machine_attempts (
    tenant_id ${text} not null,
    machine_id ${text} not null,
    fingerprint ${text} not null,
    issuer ${text} not null,
    claims ${text} not null,
    is_bound integer not null,
    reason ${text} not null,
    first_at ${text} not null,
    last_at ${text} not null,
    times integer not null,
    primary key (tenant_id, machine_id, fingerprint),
    foreign key (tenant_id, machine_id) references machines (tenant_id, id) on delete cascade
  ) ${tableEnd}`,

  // `claimed_until` and `next_at` are '' where nothing holds a webhook back.
  `create table webhooks (
    tenant_id ${text} not null references tenants (id) on delete cascade,
    id ${text} not null,
    url ${text} not null,
    description ${text} not null,
    secret ${bytes} not null,
    secret_version integer not null,
    old_secret ${bytes},
    old_secret_until ${text},
    events ${text} not null,
    bundle_ids ${text} not null,
    is_active integer not null,
    failing_since ${text},
    failures integer not null,
    next_at ${text} not null,
    claimed_until ${text} not null,
    claimed_by ${text},
    ended_reason ${text} check (ended_reason in ('gone', 'failing')),
    last_delivered_at ${text},
    created_by ${text} not null,
    created_at ${text} not null,
    primary key (tenant_id, id)
  ) ${tableEnd}`,
  'create index webhooks_active on webhooks (next_at) where is_active = 1',

  `create table webhook_messages (
    tenant_id ${text} not null,
    webhook_id ${text} not null,
    id ${text} not null,
    type ${text} not null,
    body ${text} not null,
    merge_key ${text},
    state ${text} not null check (state in ('waiting', 'sending', 'done', 'failed')),
    not_before ${text} not null,
    give_up_at ${text} not null,
    attempts integer not null,
    last_status integer,
    last_error ${text},
    last_ms integer,
    created_at ${text} not null,
    done_at ${text},
    primary key (tenant_id, webhook_id, id),
    foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
  ) ${tableEnd}`,
  `create unique index webhook_messages_coalesced on webhook_messages (tenant_id, webhook_id, merge_key)
    where state = 'waiting'`,
  `create index webhook_messages_pending on webhook_messages (tenant_id, webhook_id, not_before)
    where state in ('waiting', 'sending')`,
  'create index webhook_messages_log on webhook_messages (tenant_id, webhook_id, created_at, id)',
  'create index webhook_messages_done on webhook_messages (done_at) where done_at is not null',
  "create index webhook_messages_overdue on webhook_messages (give_up_at) where state = 'waiting'",

  `create table events (
    position ${position},
    tenant_id ${text} not null,
    body ${text} not null,
    origin ${text},
    mac ${bytes} not null,
    created_at ${text} not null,
    refused_at ${text}
  ) ${tableEnd}`,
  'create index events_tenant on events (tenant_id, position) where refused_at is null',
  'create index events_refused on events (tenant_id, position) where refused_at is not null',

  // The tables of the log have no reference to tenants: what happened stays even if a row elsewhere is deleted.
  `create table audit_log (
    tenant_id ${text} not null,
    seq integer not null,
    hash ${text} not null,
    body ${text} not null,
    origin ${text},
    at ${text} not null,
    action ${text} not null,
    actor_id ${text},
    target_id ${text} not null,
    primary key (tenant_id, seq)
  ) ${tableEnd}`,
  'create index audit_log_target on audit_log (tenant_id, target_id, seq)',
  'create index audit_log_actor on audit_log (tenant_id, actor_id, seq)',
  'create index audit_log_action on audit_log (tenant_id, action, seq)',
  'create index audit_log_at on audit_log (tenant_id, at, seq)',

  `create table audit_heads (
    tenant_id ${text} primary key,
    seq integer not null,
    hash ${text} not null,
    first_seq integer not null,
    first_prev ${text} not null,
    epoch integer not null
  ) ${tableEnd}`,

  `create table audit_seals (
    tenant_id ${text} not null,
    day ${text} not null,
    seq integer not null,
    hash ${text} not null,
    sealed_at ${text} not null,
    note ${text} not null,
    primary key (tenant_id, day)
  ) ${tableEnd}`,

  `create table audit_keys (
    id ${text} primary key,
    name ${text} not null,
    public_key ${bytes} not null,
    wrapped_key ${bytes} not null,
    root_key_id ${text} not null,
    created_at ${text} not null
  ) ${tableEnd}`,

  `create table receipt_keys (
    id ${text} primary key,
    serial integer not null unique,
    wrapped_key ${bytes} not null,
    root_key_id ${text} not null,
    endorsed_by ${text},
    endorsement ${text},
    created_at ${text} not null
  ) ${tableEnd}`,

  `create table deposit_keys (
    id ${text} primary key,
    serial integer not null unique,
    wrapped_key ${bytes} not null,
    root_key_id ${text} not null,
    created_at ${text} not null
  ) ${tableEnd}`,

  `create table root_keys (id ${text} primary key, proof ${bytes} not null, created_at ${text} not null) ${tableEnd}`,
]
