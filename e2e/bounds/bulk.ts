import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract/limits'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { parseRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { randomId } from '@keyferry/crypto/token'
import { openDatabase } from '../../api/src/storage/base/database.ts'
import type { Database, Query } from '../../api/src/storage/base/queries.ts'
import { openAuditKey } from '../../api/src/storage/keys-at-rest/audit-keys.ts'
import { TenantKeys } from '../../api/src/storage/keys-at-rest/tenant-keys.ts'
import { ValueVault } from '../../api/src/storage/keys-at-rest/value-vault.ts'
import { BUNDLES } from '../../api/src/storage/rules/set-rules.ts'
import { administer } from '../../plumbing/test/postgres.ts'
import type { WatchedApi } from './watched-api.ts'

/*
 * What fills the bounds of a workspace, written to its database: by calls it would take an hour. Values are encrypted
 * as the API does it.
 */

export type Place = { tenantId: string; userId: string }

/** Which key a bundle delivers, under its own name. */
export type Filled = { name: string; value: string; isSecret?: boolean; parts?: readonly string[] }

export type Bulk = {
  /** A bundle with a new key for each value. */
  bundle(name: string, values: readonly Filled[]): Promise<{ id: string; keyIds: readonly string[] }>
  /** Bundles that share these keys, and set other rules each. */
  sharing(shared: Shared): Promise<readonly string[]>
  /** As many empty bundles as fit beside the others, each with rules. */
  fillBundles(): Promise<void>
  members(count: number): Promise<void>
  close(): Promise<void>
}

const NOW = new Date().toISOString()
const NO_RULES = {
  assurance: null,
  approvers: null,
  people: null,
  changers: null,
  approvals_needed: null,
  agents: null,
} as const

export async function openBulk(api: WatchedApi, place: Place): Promise<Bulk> {
  const database = await openDatabase(api.databaseUrl ?? join(api.dataDir, 'keyferry.db'))
  const ring = new RootKeyRing([parseRootKey(api.rootKey)])
  await openAuditKey(database, { ring, name: 'localhost/audit', now: NOW })
  const tenantKeys = new TenantKeys(database, ring)
  const writing = { database, place, vault: new ValueVault(tenantKeys, 'keys') }
  const noted = database.query.updateTable('tenants').set({ ruled: BUNDLES })
  await noted.where('id', '=', place.tenantId).execute()
  return {
    bundle: (name, values) => makeBundle(writing, name, values),
    sharing: (shared) => share(writing, shared),
    fillBundles: () => fillBundles(writing),
    members: (count) => addMembers(writing, count),
    async close() {
      // PostgreSQL plans by counts of rows, which it takes by itself later.
      if (api.databaseUrl !== null) await administer(api.databaseUrl, 'analyze')
      await database.close()
    },
  }
}

type Writing = { database: Database; place: Place; vault: ValueVault }

async function makeBundle(writing: Writing, name: string, values: readonly Filled[]) {
  const { database, place, vault } = writing
  const { tenantId: tenant_id, userId } = place
  const lockedVault = await vault.toWrite(tenant_id)
  const keyIds = values.map(() => randomId())
  const id = randomId()
  await database.write(async (transaction) => {
    const { encrypt } = await lockedVault(transaction)
    const rows = values.map(({ name: key, value, isSecret = true, parts }, at) =>
      encrypt(Plaintext.of(value), {
        tenant_id,
        id: keyIds[at] ?? '',
        name: key,
        description: '',
        value_version: 1,
        created_by: userId,
        created_at: NOW,
        updated_by: userId,
        updated_at: NOW,
        value_set_by: userId,
        value_set_at: NOW,
        value_how: 'set' as const,
        is_secret: isSecret ? (1 as const) : (0 as const),
        value_was_secret: isSecret ? (1 as const) : (0 as const),
        template_parts: parts?.join(' ') ?? null,
      }),
    )
    await inParts(rows, (part) => database.insertAll(transaction, 'keys', part))
    await addBundles(writing, transaction, [{ id, name }])
    await attach(writing, transaction, { id, keyIds, names: values.map(({ name: key }) => key) })
  })
  return { id, keyIds }
}

type Shared = { keyIds: readonly string[]; names: readonly string[]; copies: number }

async function share(writing: Writing, { keyIds, names, copies }: Shared): Promise<readonly string[]> {
  const { database, place } = writing
  const twins = Array.from({ length: copies }, (_, index) => ({ id: randomId(), name: `twin/${index}` }))
  await database.write(async (transaction) => {
    await addBundles(writing, transaction, twins, { ruled: 1 })
    for (const { id } of twins) await attach(writing, transaction, { id, keyIds, names })
    const rules = twins.map(({ id }, index) => ({
      tenant_id: place.tenantId,
      place: id,
      bundle_id: id,
      ...NO_RULES,
      remember_hours: index + 1,
    }))
    await database.insertAll(transaction, 'policies', rules)
  })
  return twins.map(({ id }) => id)
}

async function fillBundles(writing: Writing): Promise<void> {
  const { database, place } = writing
  const existing = await database.query.selectFrom('bundles').select('id').execute()
  const left = LIMITS.bundles - existing.length - ROOM
  const made = Array.from({ length: left }, (_, index) => ({ id: randomId(), name: `team/service-${index}` }))
  await database.write(async (transaction) => {
    await addBundles(writing, transaction, made, { ruled: 1 })
    const rules = { tenant_id: place.tenantId, ...NO_RULES, remember_hours: 1 }
    await inParts(made, (part) =>
      database.insertAll(
        transaction,
        'policies',
        part.map(({ id }) => ({ ...rules, place: id, bundle_id: id })),
      ),
    )
  })
}

// For the bundles that the calls make.
const ROOM = 50

async function addBundles(
  { database, place: { tenantId: tenant_id, userId } }: Writing,
  transaction: Query,
  bundles: readonly { id: string; name: string }[],
  { ruled }: { ruled: 1 | null } = { ruled: null },
): Promise<void> {
  const made = { created_by: userId, created_at: NOW, updated_by: userId, updated_at: NOW }
  const about = { tenant_id, description: '', tags: '', production: 'by_name' as const }
  const rows = bundles.map((named) => ({ ...named, ...about, ...made, ruled }))
  await inParts(rows, (part) => database.insertAll(transaction, 'bundles', part))
}

async function attach(
  { database, place: { tenantId: tenant_id } }: Writing,
  transaction: Query,
  { id: bundle_id, keyIds, names }: { id: string; keyIds: readonly string[]; names: readonly string[] },
): Promise<void> {
  const rows = keyIds.map((key_id, position) => ({
    tenant_id,
    bundle_id,
    key_id,
    position,
    delivered_name: names[position] ?? '',
    required: 0 as const,
  }))
  await inParts(rows, (part) => database.insertAll(transaction, 'attachments', part))
}

async function addMembers({ database, place: { tenantId: tenant_id } }: Writing, count: number) {
  const ids = Array.from({ length: count }, () => randomId())
  const of = { created_at: NOW, updated_at: NOW, password_hash: null, email_as_of: null, last_login: null }
  const marks = {
    email_verified: 1,
    must_change_password: 0,
    passkey_after_password: 0,
    is_active: 1,
  } as const
  await database.write(async (transaction) => {
    const users = ids.map((id, index) => {
      const email = `m${index}@example.com`
      const named = { id, idp_user_id: `user_${id}`, username: `m${index}`, email, email_key: email }
      return { ...named, ...of, ...marks, auth_provider: 'bulk' }
    })
    await inParts(users, (part) => database.insertAll(transaction, 'users', part))
    const memberships = ids.map((user_id) => ({
      id: randomId(),
      user_id,
      tenant_id,
      role: 'member' as const,
      created_at: NOW,
    }))
    await inParts(memberships, (part) => database.insertAll(transaction, 'memberships', part))
  })
}

async function inParts<T>(rows: readonly T[], insert: (part: readonly T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < rows.length; from += 500) await insert(rows.slice(from, from + 500))
}
