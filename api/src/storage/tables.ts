import type { Role } from '../domain/membership.ts'

/** 0 or 1: the one form of a truth value that both databases keep alike. */
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
  is_active: Flag
  last_login: string | null
  created_at: string
  updated_at: string
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

/** A root key that may be in use; `proof` opens under it and no other. */
type RootKeyRow = { id: string; proof: Uint8Array; created_at: string }

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
  tenants: TenantRow
  memberships: MembershipRow
  bundles: BundleRow
  keys: KeyRow
  attachments: AttachmentRow
  legacy_items: LegacyItemRow
  invitations: InvitationRow
  root_keys: RootKeyRow
  account_setup: AccountSetupRow
  login_attempts: LoginAttemptRow
  migrations: MigrationRow
}
