import type { WebhookMessageType } from '@keyferry/contract'
import type { Generated } from 'kysely'
import type { DeliveryKind, DeliveryState } from '../domain/delivery.ts'
import type { GrantEnd } from '../domain/grant.ts'
import type { ValueHow } from '../domain/key.ts'
import type { GrantScope, TrustBinding } from '../domain/machine.ts'
import type { Role } from '../domain/membership.ts'
import type { PolicySetting } from '../domain/policy.ts'
import type { WebhookEnd } from '../domain/webhook.ts'
import type { MessageState } from '../domain/webhook-log.ts'

/** 0 or 1: the form of a boolean that both databases store in the same way. */
export type Flag = 0 | 1

export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0
}

// Ids are UUIDs and times ISO 8601 in UTC, both as text; `value` and `wrapped_key` are blobs of the crypto package.

type UserRow = {
  id: string
  idp_user_id: string
  username: string
  email: string
  /** The e-mail in lower case, for finding. */
  email_key: string
  email_verified: Flag
  /** When the identity provider stated this e-mail; null where none did. */
  email_as_of: string | null
  auth_provider: string
  password_hash: string | null
  must_change_password: Flag
  /** A sign-in with the password also asks for a passkey. */
  passkey_after_password: Flag
  is_active: Flag
  last_login: string | null
  created_at: string
  updated_at: string
}

/** `public_key` is a COSE key; `counter` is unsigned and has 32 bits. */
type PasskeyRow = {
  id: string
  user_id: string
  credential_id: string
  public_key: Uint8Array
  counter: number
  name: string
  created_at: string
  last_used_at: string | null
}

type TenantRow = {
  id: string
  owner_id: string
  name: string
  wrapped_key: Uint8Array
  /** The root key that wrapped it. */
  root_key_id: string
  created_at: string
  updated_at: string
}

type MembershipRow = { id: string; user_id: string; tenant_id: string; role: Role; created_at: string }

type BundleRow = {
  id: string
  tenant_id: string
  name: string
  description: string
  /** Trimmed, without duplicates, joined by commas. */
  tags: string
  created_by: string
  created_at: string
  updated_at: string
  updated_by: string
}

type BundlePolicyRow = PolicySetting & { tenant_id: string; bundle_id: string }

/** `argv`, `label`, `keys`, `left_out` and `asked` are JSON. `ended`: why it ended before its time. */
export type RememberedRow = {
  tenant_id: string
  id: string
  bundle_id: string
  user_id: string
  device_key: string
  argv: string
  argv_masked: string | null
  cwd: string
  agent: string | null
  label: string
  keys: string
  left_out: string
  asked: string
  bundle_names: string
  hours: number
  uses: number
  created_at: string
  expires_at: string
  last_used_at: string | null
  ended: GrantEnd | null
}

type TenantPolicyRow = PolicySetting & { tenant_id: string }

export type KeyRow = {
  id: string
  tenant_id: string
  name: string
  value: Uint8Array
  value_version: number
  is_secret: Flag
  description: string
  created_by: string
  created_at: string
  updated_at: string
  updated_by: string
  value_set_at: string
  /** A user's id. */
  value_set_by: string
  /** Of a moved value: when it last changed on the other server, as the moved file says. */
  value_changed_elsewhere_at: string | null
  value_how: ValueHow
  value_restored_from: number | null
  /** 1 if the key was ever secret while it had this value. */
  value_was_secret: Flag
  /** Of a composed value, the names of its parts, separated by spaces; null for any other value. */
  template_parts: string | null
  expires_at: string | null
  rotate_after_days: number | null
  /** `rotate_after_days` after the value last changed, here or elsewhere. */
  rotate_at: string | null
}

/** A replaced value. `name`, `is_secret`, `template_parts` and `version` are those that its blob is bound to; `value` is null once it is
 * destroyed. */
type KeyVersionRow = {
  tenant_id: string
  key_id: string
  version: number
  name: string
  is_secret: Flag
  template_parts: string | null
  value: Uint8Array | null
  was_secret: Flag
  set_at: string
  set_by: string
  changed_elsewhere_at: string | null
  how: ValueHow
  restored_from: number | null
  replaced_at: string
  destroyed_at: string | null
  destroyed_by: string | null
}

/** `label` and `versions` are JSON; `label` is null once the person is forgotten. A delivery to a machine has a `machine_id`
 * and the id of the token that proved it; all others have a `request_id` and a `user_id`. */
export type DeliveryRow = {
  tenant_id: string
  id: string
  kind: DeliveryKind
  state: Exclude<DeliveryState, 'held'>
  /** Until when the approval may return to the terminal; null: it returned, or it need not. */
  held_until: string | null
  request_id: string | null
  bundle_id: string
  bundle_name: string
  /** The approver. */
  user_id: string | null
  machine_id: string | null
  proof_id: string | null
  holder: string
  label: string | null
  via: string | null
  versions: string
  created_at: string
  collected_at: string | null
}

/** A deposit that was approved. `open_until`: while it can still be stored; null once it has ended. */
type DepositRow = {
  tenant_id: string
  id: string
  state: 'approved' | 'applied' | 'void'
  open_until: string | null
  /** How its approval has to return to the terminal; null: it has not. */
  held_by: string | null
  /** SHA-256 of the request's id. */
  request_hash: string
  bundle_name: string
  user_id: string
  /** The answer to the client: what was stored; null until then. */
  applied: string | null
  created_at: string
  ended_at: string | null
}

/** What a holder has of one key: `version` by a confirmed delivery, `perhaps_version` by one that is not confirmed. */
type HoldingRow = {
  tenant_id: string
  key_id: string
  holder: string
  /** One of the two is null: a person or a machine holds the value. */
  user_id: string | null
  machine_id: string | null
  version: number | null
  delivery_id: string | null
  perhaps_version: number | null
  perhaps_delivery_id: string | null
  /** When the newest of the confirmed deliveries was approved. */
  settled_at: string | null
  first_at: string
  last_at: string
  times: number
  dismissed_at: string | null
}

type AttachmentRow = {
  bundle_id: string
  key_id: string
  tenant_id: string
  /** The variable's name in this bundle; unique within a bundle. */
  delivered_name: string
  /** Dense within a bundle: 0 to n-1. */
  position: number
  required: Flag
}

type LegacyItemRow = {
  id: string
  bundle_id: string
  tenant_id: string
  name: string
  value: Uint8Array
  value_version: number
  is_secret: Flag
  created_at: string
  updated_at: string
}

type InvitationRow = {
  id: string
  tenant_id: string
  email: string
  email_key: string
  role: Role
  token_hash: string
  created_by: string
  created_at: string
  expires_at: string
}

type MachineRow = {
  id: string
  tenant_id: string
  name: string
  description: string
  is_active: Flag
  reads_audit: Flag
  created_by: string
  created_at: string
  updated_at: string
}

type MachineGrantRow = {
  tenant_id: string
  machine_id: string
  bundle_id: string
  scope: GrantScope
  created_by: string
  created_at: string
}

/** `networks` is a JSON list. A rotation brings `expires_at` of the old token forward; `lifetime_seconds` stays. `tell_at`: when
 * the server announces that it expires; null after that, or if there is nothing to announce. */
type MachineTokenRow = {
  id: string
  tenant_id: string
  machine_id: string
  token_hash: string
  hint: string
  networks: string
  created_by: string
  created_at: string
  lifetime_seconds: number
  expires_at: string
  tell_at: string | null
  ended_at: string | null
  last_used_at: string | null
  last_used_ip: string | null
}

/** `claims`, `issuer_keys` and `networks` are JSON; `issuer_keys` is null where discovery leads to the keys. */
type MachineTrustRow = {
  id: string
  tenant_id: string
  machine_id: string
  issuer: string
  audience: string
  claims: string
  issuer_keys: string | null
  binding: TrustBinding
  networks: string
  max_age_seconds: number | null
  is_broad: Flag
  created_by: string
  created_at: string
  last_used_at: string | null
  last_used_ip: string | null
}

/** A refused call whose ID token was verified. `claims` is JSON. */
type MachineAttemptRow = {
  tenant_id: string
  machine_id: string
  fingerprint: string
  issuer: string
  claims: string
  is_bound: Flag
  reason: string
  first_at: string
  last_at: string
  times: number
}

/** `events` and `bundle_ids` are JSON lists, empty for all. `old_secret` has the version before `secret_version`. `next_at`: no
 * call before; `claimed_until`: a node sends until then. Both are '' where nothing holds calls back. */
export type WebhookRow = {
  tenant_id: string
  id: string
  url: string
  description: string
  secret: Uint8Array
  secret_version: number
  old_secret: Uint8Array | null
  old_secret_until: string | null
  events: string
  bundle_ids: string
  is_active: Flag
  failing_since: string | null
  failures: number
  next_at: string
  claimed_until: string
  claimed_by: string | null
  ended_reason: WebhookEnd | null
  last_delivered_at: string | null
  created_by: string
  created_at: string
}

/** `merge_key`: what changes of the same thing share, while no call has been made; null: nothing may be added. */
export type WebhookMessageRow = {
  tenant_id: string
  webhook_id: string
  id: string
  type: WebhookMessageType
  body: string
  merge_key: string | null
  state: MessageState
  not_before: string
  give_up_at: string
  attempts: number
  last_status: number | null
  last_error: string | null
  last_ms: number | null
  created_at: string
  done_at: string | null
}

/** A root key that may be in use; `proof` opens under it and no other. */
type RootKeyRow = { id: string; proof: Uint8Array; created_at: string }

/** The outbox: events that no seal has numbered yet. */
type EventRow = {
  position: Generated<number>
  tenant_id: string
  body: string
  origin: string | null
  mac: Uint8Array
  created_at: string
  /** When a seal found that no server wrote the row; null for all others. */
  refused_at: string | null
}

/** The log: `body` is the exact text that `hash` covers; the last four columns repeat what is in it, for finding. */
type AuditLogRow = {
  tenant_id: string
  seq: number
  hash: string
  body: string
  origin: string | null
  at: string
  action: string
  actor_id: string | null
  target_id: string
}

/** The newest entry of each tenant. `first_seq` is the oldest entry kept, and `first_prev` the hash before it. */
type AuditHeadRow = {
  tenant_id: string
  seq: number
  hash: string
  first_seq: number
  first_prev: string
  epoch: number
}

/** The last seal of each UTC day. */
type AuditSealRow = {
  tenant_id: string
  day: string
  seq: number
  hash: string
  sealed_at: string
  note: string
}

/** `name` is the name under which the key signs; `wrapped_key` holds the seed. */
type AuditKeyRow = {
  id: string
  name: string
  public_key: Uint8Array
  wrapped_key: Uint8Array
  root_key_id: string
  created_at: string
}

/** Signs receipts. `serial` counts up; `wrapped_key` holds the seed; `endorsement` is the signature of the key before. */
type ReceiptKeyRow = {
  id: string
  serial: number
  wrapped_key: Uint8Array
  root_key_id: string
  endorsed_by: string | null
  endorsement: string | null
  created_at: string
}

/** Opens deposits. `serial` counts up; `wrapped_key` holds the secret half. */
type DepositKeyRow = {
  id: string
  serial: number
  wrapped_key: Uint8Array
  root_key_id: string
  created_at: string
}

type LoginAttemptRow = {
  email_key: string
  failed: number
  locked_until: string | null
  forgotten_at: string
}

type AccountSetupRow = { slot: 1; user_id: string }

type MigrationRow = { name: string; applied_at: string }

export type Tables = {
  users: UserRow
  passkeys: PasskeyRow
  tenants: TenantRow
  memberships: MembershipRow
  bundles: BundleRow
  bundle_policies: BundlePolicyRow
  tenant_policies: TenantPolicyRow
  grants: RememberedRow
  keys: KeyRow
  key_versions: KeyVersionRow
  deliveries: DeliveryRow
  deposits: DepositRow
  holdings: HoldingRow
  attachments: AttachmentRow
  legacy_items: LegacyItemRow
  invitations: InvitationRow
  machines: MachineRow
  machine_grants: MachineGrantRow
  machine_tokens: MachineTokenRow
  machine_trusts: MachineTrustRow
  machine_attempts: MachineAttemptRow
  webhooks: WebhookRow
  webhook_messages: WebhookMessageRow
  root_keys: RootKeyRow
  account_setup: AccountSetupRow
  login_attempts: LoginAttemptRow
  events: EventRow
  audit_log: AuditLogRow
  audit_heads: AuditHeadRow
  audit_seals: AuditSealRow
  audit_keys: AuditKeyRow
  receipt_keys: ReceiptKeyRow
  deposit_keys: DepositKeyRow
  migrations: MigrationRow
}
